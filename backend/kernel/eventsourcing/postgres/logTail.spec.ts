import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { LogTail } from './logTail.ts'
import { createPostgresEventStore } from './postgresEventStore.ts'

it('forgets events that are gone, also if a read that began before ends after', async () => {
  const table = { head: 20, opened: Promise.withResolvers<void>() }
  const query = async ({ name }: { name: string }) => {
    if (name === 'event_head') return { rows: [{ head: String(table.head) }] }
    await table.opened.promise
    return { rows: [] }
  }
  const tail = new LogTail({ query } as never, () => false)
  await tail.current()
  tail.announce(21)
  const reading = tail.current()
  await nextTurn()
  // The table was replaced by an older one.
  table.head = 5
  tail.rewind(table.head)
  table.opened.resolve()
  await reading
  expect(await tail.current()).toEqual({ from: 5, to: 5, events: [] })
})

it('ends a subscription that begins in the turn in which the store closes, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const query = async () => ({ rows: [{ head: '0' }] })
  const store = createPostgresEventStore({ query, options: { host: '/nowhere' } } as never)
  const next = store.subscribeAll({ signal: new AbortController().signal })[Symbol.asyncIterator]().next()
  await store.close()
  expect(await next).toEqual({ done: true, value: undefined })
  expect(vi.getTimerCount()).toBe(0)
})
