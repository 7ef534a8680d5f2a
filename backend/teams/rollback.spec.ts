import { expect, it } from 'vitest'
import { creditAccount } from '../credits/creditAccount.decider.ts'
import { createCredits } from '../credits/credits.ts'
import { bySystem } from '../kernel/eventsourcing/command.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { UnknownEvent } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'

const { SpendersSet: _, ...formerSchemas } = creditAccount.schemas
/** The account as releases before teams know it. */
const former = { ...creditAccount, schemas: formerSchemas } as typeof creditAccount

it('a release before teams refuses the account of a team with an open hold by its name, and no other', async () => {
  const store = createMemoryEventStore()
  const credits = createCredits(createHandle(store))
  for (const userId of ['owner', 'other']) await credits.grantFreeCredits(userId, 60)
  await credits.setSpenders('owner', { teamId: 'team', revision: 2, spenders: [{ id: 'member', perMonth: 30 }] }).send()
  const hold = { userId: 'owner', taskId: 'task', amount: 30, openLimit: 2, spentBy: 'member' }
  await credits.hold(hold, bySystem('hold', 'task')).send()

  // Neither the settlement of the hold nor a new order gets through, so the limit is never ignored.
  const handle = createHandle(store)
  const at = '2026-12-01T00:00:00.000Z'
  const capture = { type: 'CaptureHold', userId: 'owner', holdId: 'task', at } as const
  const order = { type: 'HoldCredits', userId: 'owner', holdId: 'next', amount: 30, openLimit: 2, at } as const
  for (const command of [capture, order]) {
    const refused = handle(former, 'owner', command, bySystem(command.type, 'rollback'))
    await expect(refused).rejects.toThrow(UnknownEvent)
    await expect(refused).rejects.toThrow('creditAccount-owner, revision 1: unknown event type SpendersSet')
  }
  const others = { ...order, userId: 'other' }
  const { state } = await handle(former, 'other', others, bySystem('hold', 'other'))
  expect(state.holds).toHaveLength(1)

  // The newer release goes on where it stopped.
  await credits.capture('owner', 'task').send()
  expect((await credits.spentBy('owner', 'member')).ofMonth).toBe(30)
})
