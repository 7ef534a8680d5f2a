import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LogTail } from './logTail.ts'

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
