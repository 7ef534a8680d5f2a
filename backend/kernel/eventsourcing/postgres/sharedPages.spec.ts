import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import type { SubscribeFilter } from '../eventStore.port.ts'
import { type Page, SharedPages } from './sharedPages.ts'

const PAGE = 5_000
const { signal } = new AbortController()

/** Returns the pages of a log whose head can grow, and the positions that were read. */
function pagesOf(log: { head: number }) {
  const read: number[] = []
  const pages = new SharedPages(async (at): Promise<Page> => {
    read.push(at)
    const upTo = Math.min(at + PAGE, log.head)
    const page = { events: [], upTo, live: upTo === log.head }
    await turn()
    return page
  })
  /** Adds subscriptions, which read their first page together. */
  const join = async (...filters: SubscribeFilter[]) => {
    const readers = filters.map((filter) => pages.join(filter, signal))
    await Promise.all(readers.map(({ pageAfter }) => pageAfter(0)))
    read.length = 0
    return readers
  }
  return { pages, read, join }
}

describe('the pages of a log', () => {
  it('are read once for all subscriptions, and the next one ahead', async () => {
    const { read, join } = pagesOf({ head: 1_000_000 })
    const readers = await join(...Array(11).fill({}))
    for (const at of [PAGE, 2 * PAGE, 3 * PAGE]) {
      const found = await Promise.all(readers.map(({ pageAfter }) => pageAfter(at)))
      expect(new Set(found.map(({ upTo }) => upTo))).toEqual(new Set([at + PAGE]))
    }
    expect(read).toEqual([2 * PAGE, 3 * PAGE, 4 * PAGE])
  })

  it('are not shared at the head with a subscription that asks after the read began', async () => {
    const log = { head: PAGE + 5 }
    const { read, join } = pagesOf(log)
    const [first, second] = await join({}, {})
    // The next page has been read ahead.
    for (let n = 0; n < 5; n++) await turn()
    const earlier = first!.pageAfter(PAGE)
    while (read.length === 0) await null
    log.head += 2
    const [before, after] = await Promise.all([earlier, second!.pageAfter(PAGE)])
    expect([before.upTo, after.upTo]).toEqual([PAGE + 5, PAGE + 7])
  })

  it('are read separately for other streams and other batch sizes', async () => {
    const { read, join } = pagesOf({ head: 1_000_000 })
    const readers = await join({}, { maxBatch: 2 }, { streamPrefixes: ['a-'] })
    await Promise.all(readers.map(({ pageAfter }) => pageAfter(PAGE)))
    expect(read).toEqual([2 * PAGE, 2 * PAGE, 2 * PAGE])
  })

  it('are read again after an error', async () => {
    let calls = 0
    const pages = new SharedPages(async (at) => {
      if (++calls === 1) throw new Error('no answer')
      return { events: [], upTo: at + PAGE, live: false }
    })
    const reader = pages.join({}, signal)
    await expect(reader.pageAfter(0)).rejects.toThrow('no answer')
    await reader.pageAfter(0)
    expect(calls).toBe(3)
  })

  it('are those of the log as it is now for a new subscription, also after the log was replaced', async () => {
    const log = { head: 1_000_000 }
    const { pages, join } = pagesOf(log)
    await join({})
    log.head = PAGE + 5
    const reader = pages.join({}, signal)
    expect((await reader.pageAfter(0)).upTo).toBe(PAGE)
    expect((await reader.pageAfter(PAGE)).upTo).toBe(PAGE + 5)
  })
})

describe('a subscription that is ahead of another', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** Returns two subscriptions, the first of which waits for the second, and whether it has its page. */
  async function waiting() {
    const { pages, read, join } = pagesOf({ head: 1_000_000 })
    const [fast, slow] = await join({}, {})
    await fast!.pageAfter(PAGE)
    const page = vi.fn()
    void fast!.pageAfter(2 * PAGE).then(page)
    for (let n = 0; n < 20; n++) await turn()
    expect(page).not.toHaveBeenCalled()
    return { pages, read, fast: fast!, slow: slow!, page }
  }

  it('waits for it, so that they go on sharing pages', async () => {
    const { read, slow, page } = await waiting()
    await slow.pageAfter(PAGE)
    await eventually(() => expect(page).toHaveBeenCalled())
    await slow.pageAfter(2 * PAGE)
    expect(read).toEqual([2 * PAGE, 3 * PAGE])
  })

  it('does not wait for one that stands still for a second', async () => {
    const { fast, page } = await waiting()
    await vi.advanceTimersByTimeAsync(1_001)
    await eventually(() => expect(page).toHaveBeenCalled())
    await fast.pageAfter(3 * PAGE)
  })

  it('does not wait for one that has left or is far behind, nor when it ends', async () => {
    const { slow, page } = await waiting()
    slow.leave()
    await eventually(() => expect(page).toHaveBeenCalled())

    const { pages } = await waiting()
    const ended = new AbortController()
    await pages.join({}, signal).pageAfter(100 * PAGE)
    const last = pages.join({}, ended.signal).pageAfter(2 * PAGE)
    ended.abort()
    await last
  })
})
