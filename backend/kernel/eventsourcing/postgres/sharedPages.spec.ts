import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { type Page, SharedPages } from './sharedPages.ts'

const PAGE = 10
/** Returns the pages of a log whose head can grow, and the positions that were read. */
function pagesOf(log: { head: number }) {
  const read: number[] = []
  const pages = new SharedPages(async (at): Promise<Page> => {
    read.push(at)
    const upTo = Math.min(at + PAGE, log.head)
    const page = { events: [], upTo, live: upTo === log.head }
    await wait(1)
    return page
  })
  return { pages, read }
}

it('reads each page once for all subscriptions, and the next one ahead', async () => {
  const { pages, read } = pagesOf({ head: 1_000 })
  for (const at of [0, 10, 20]) {
    const found = await Promise.all(Array.from({ length: 11 }, () => pages.after(at, {})))
    expect(new Set(found.map(({ upTo }) => upTo))).toEqual(new Set([at + PAGE]))
  }
  expect(read).toEqual([0, 10, 20, 30])
})

it('does not share a page that reaches the head with a subscription that asks after its read began', async () => {
  const log = { head: 5 }
  const { pages, read } = pagesOf(log)
  const earlier = pages.after(0, {})
  while (read.length === 0) await null
  log.head = 7
  const [before, after] = await Promise.all([earlier, pages.after(0, {})])
  expect([before.upTo, after.upTo]).toEqual([5, 7])
})

it('reads separately for other streams and other batch sizes', async () => {
  const { pages, read } = pagesOf({ head: 5 })
  await Promise.all([pages.after(0, {}), pages.after(0, { maxBatch: 2 }), pages.after(0, { streamPrefixes: ['a-'] })])
  expect(read).toEqual([0, 0, 0])
})

it('reads again after an error, and forgets pages that nobody asked for', async () => {
  vi.useFakeTimers()
  try {
    let calls = 0
    const pages = new SharedPages(async (at) => {
      if (++calls === 1) throw new Error('no answer')
      return { events: [], upTo: at + PAGE, live: false }
    })
    await expect(pages.after(0, {})).rejects.toThrow('no answer')
    await pages.after(0, {})
    expect(calls).toBe(3)
    await vi.advanceTimersByTimeAsync(1_001)
    await pages.after(0, {})
    expect(calls).toBe(5)
  } finally {
    vi.useRealTimers()
  }
})

it('gives a new subscription the log as it is now, and no pages of a log that was replaced', async () => {
  const log = { head: 1_000 }
  const { pages, read } = pagesOf(log)
  await pages.after(0, {})
  log.head = 15
  expect((await pages.after(0, {}, true)).upTo).toBe(10)
  expect((await pages.after(10, {})).upTo).toBe(15)
  expect(read.filter((at) => at === 0)).toHaveLength(2)
})
