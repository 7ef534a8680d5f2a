import { describe, expect, it } from 'vitest'
import { type PageOf, pagedList } from './pagedList.ts'

/** A list of 20 items, eight per page, whose responses the test releases. */
function list() {
  const answers: PromiseWithResolvers<PageOf<number>>[] = []
  const asked: number[] = []
  const { $list, open, openOther, again } = pagedList<number>(8, (page) => {
    asked.push(page)
    answers.push(Promise.withResolvers())
    return answers.at(-1)!.promise
  })
  const answer = (call: number, first: number) => answers[call]!.resolve({ items: [first], total: 20 })
  return {
    $list,
    open,
    openOther,
    again,
    asked,
    answer,
    fail: (call: number) => answers[call]!.reject(new Error('away')),
  }
}

describe('a list with pages', () => {
  it('keeps the number of the shown page while the next one loads', async () => {
    const { $list, open, answer } = list()
    const first = open(1)
    answer(0, 1)
    await first
    const third = open(3)
    expect($list.get()).toMatchObject({ status: 'loading', page: 1, items: [1] })
    answer(1, 17)
    await third
    expect($list.get()).toMatchObject({ status: 'ready', page: 3, items: [17] })
  })

  it('shows nothing of a former list while another one loads', async () => {
    const { $list, open, openOther, answer } = list()
    const first = open(1)
    answer(0, 1)
    await first
    const other = openOther()
    expect($list.get()).toMatchObject({ status: 'loading', items: [], total: 0 })
    answer(1, 7)
    await other
    expect($list.get()).toMatchObject({ status: 'ready', page: 1, items: [7] })
  })

  it('retries the page that failed', async () => {
    const { $list, open, again, asked, answer, fail } = list()
    const second = open(2)
    fail(0)
    await second
    expect($list.get()).toMatchObject({ status: 'failed', items: [] })
    const retried = again()
    answer(1, 9)
    await retried
    expect([asked, $list.get().page]).toEqual([[2, 2], 2])
  })

  it('ignores all but the last of overlapping loads', async () => {
    const { $list, open, answer } = list()
    const calls = [open(1), open(2)]
    answer(1, 9)
    answer(0, 1)
    await Promise.all(calls)
    expect($list.get()).toMatchObject({ page: 2, items: [9] })
  })
})
