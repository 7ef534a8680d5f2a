import { describe, expect, it } from 'vitest'
import { derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { createMemoryEventStore } from '../../kernel/eventsourcing/testing/memoryEventStore.ts'
import { readHeld } from './charge.ts'

const userId = 'ada'
const stream = `creditAccount-${userId}`

describe('what was held for a task', () => {
  it.each([
    ['at the revision of the read model', async () => ({ user_id: userId, revision: 1 }), 50],
    ['elsewhere than the read model says', async () => ({ user_id: userId, revision: 0 }), 50],
    ['for a task that has neither events nor a row', async () => undefined, undefined],
  ])('is read from the log: %s', async (_, findHold, credits) => {
    const store = createMemoryEventStore()
    const held = ([holdId, amount]: readonly [string, number]) => ({
      ...{ id: derivedId(holdId), type: 'CreditsHeld', meta: { schema: 1 } },
      data: { userId, holdId, parts: [{ lotId: 'paid', amount }], at: '2026-11-30T00:00:00.000Z' },
    })
    await store.append(
      stream,
      'no_stream',
      (
        [
          ['first', 30],
          ['second', 50],
        ] as const
      ).map(held),
    )
    expect((await readHeld(store, findHold, 'second'))?.credits).toBe(credits)
  })
})
