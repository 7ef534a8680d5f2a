import { describe, expect, it } from 'vitest'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { FULL, SLACK } from '../testing/fullRun.ts'
import type { CreditAccountCommand } from './commands.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent } from './events.ts'
import type { CreditAccount } from './lots.rules.ts'
import { longAccount } from './testing/longAccount.ts'

const EVENTS = FULL ? 100_000 : 20_000
const userId = 'user'
const at = '2027-01-01T00:00:00.000Z'

const { decide, evolve } = creditAccount
const fold = (events: readonly CreditAccountEvent[]) => events.reduce(evolve, creditAccount.initial)
const openHold = ({ holds }: CreditAccount) => holds.at(-1)!.id

/** Returns the least milliseconds that deciding a command and folding its events takes. */
function costOf(account: CreditAccount, command: CreditAccountCommand): number {
  const times = Array.from({ length: 50 }, () => {
    const began = performance.now()
    const events: readonly CreditAccountEvent[] = decide(command, account)
    expect(events.length).toBeGreaterThan(0)
    events.reduce(evolve, account)
    return performance.now() - began
  })
  return Math.min(...times)
}

describe(`an account with ${EVENTS} events`, () => {
  const history = [...longAccount(userId, EVENTS)]
  const [long, short] = [fold(history), fold([...longAccount(userId, 200)])]
  const release = (account: CreditAccount) =>
    costOf(account, {
      type: 'ReleaseHold',
      userId,
      holdId: openHold(account),
      reason: 'not delivered',
      byOwner: false,
      renewalExpiresAt: at,
      at,
    })

  it('releases a hold in a time that does not depend on its history', () => {
    expect(release(long) / release(short)).toBeLessThan(20)
    expect(release(long)).toBeLessThan(0.5 * SLACK)
  })

  it('has a state that does not grow with videos', () => {
    const size = (account: CreditAccount) => JSON.stringify({ ...account, lots: [] }).length
    expect(size(long)).toBeLessThan(100_000)
  })

  it('rejects a second hold of every task that it has settled', () => {
    const held = history.flatMap((event) => (event.type === 'CreditsHeld' ? [event.data.holdId] : []))
    expect(held.pop()).toBe(openHold(long))
    const hold = (holdId: string) => () =>
      decide({ type: 'HoldCredits', userId, holdId, amount: 1, openLimit: 9, at }, long)
    for (const holdId of held) expect(hold(holdId)).toThrow(expect.objectContaining({ code: 'hold_settled' }))
    expect(hold(uuid7(Date.parse(at)))()).toHaveLength(1)
  })
})
