import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { CreditAccountCommand } from './commands.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent } from './events.ts'
import {
  at,
  capture,
  captured,
  closed,
  day,
  grant,
  granted,
  held,
  hold,
  part,
  plan,
  release,
  released,
  userId,
} from './testing/creditFacts.ts'

const given = specification(creditAccount)

describe('granting a lot', () => {
  it('grants a lot once when the command is repeated', () => {
    given().when(grant('a', 60)).decides(granted('a', 60))
    given(granted('a', 60)).when(grant('a', 999)).decidesNothing()
  })
  it('grants a second lot', () => {
    given(granted('a', 60)).when(grant('b', 5)).decides(granted('b', 5))
  })
})

describe('holding credits', () => {
  it('holds credits of the only lot', () => {
    given(granted('a', 60))
      .when(hold('t', 30))
      .decides(held('t', part('a', 30)))
  })
  it('holds credits of the lot that expires soonest, whatever the order of grants', () => {
    given(granted('never', 60), granted('late', 20, day(25)), granted('soon', 10, day(20)))
      .when(hold('t', 40))
      .decides(held('t', part('soon', 10), part('late', 20), part('never', 10)))
  })
  it('holds credits of the oldest lot first among 40 lots that expire together', () => {
    const lots = Array.from({ length: 40 }, (_, n) => granted(`lot${n}`, 1, day(20)))
    const parts = Array.from({ length: 40 }, (_, n) => part(`lot${n}`, 1))
    given(...lots)
      .when(hold('t', 40))
      .decides(held('t', ...parts))
  })
  it('skips lots that are empty or expired', () => {
    given(granted('gone', 60, day(9)), granted('empty', 5), held('x', part('empty', 5)), granted('good', 30))
      .when(hold('t', 30))
      .decides(held('t', part('good', 30)))
  })
  it('treats a lot as expired at the instant of its expiry', () => {
    given(granted('a', 60, at))
      .when(hold('t', 30))
      .rejects('insufficient_credits')
  })
  it('holds credits once per task, even when no credits are left', () => {
    given(granted('a', 30), held('t', part('a', 30)))
      .when(hold('t', 30))
      .decidesNothing()
  })
  it('rejects a hold without enough credits and reports how many are left', () => {
    given(granted('a', 29)).when(hold('t', 30)).rejects('insufficient_credits')
    const account = [granted('a', 29)].reduce(creditAccount.evolve, creditAccount.initial)
    expect(() => creditAccount.decide(hold('t', 30), account)).toThrow(
      expect.objectContaining({ fields: { required: 30, remaining: 29 } }),
    )
  })
  it('rejects a hold above the limit of open tasks, and allows it after one has ended', () => {
    const two = [granted('a', 90), held('t', part('a', 30)), held('u', part('a', 30))]
    given(...two)
      .when(hold('v', 30))
      .rejects('queue_full')
    given(...two, captured('u'))
      .when(hold('v', 30))
      .decides(held('v', part('a', 30)))
    given(...two)
      .when(hold('v', 30, 3))
      .decides(held('v', part('a', 30)))
  })
  it('rejects a hold for missing credits before it checks the limit of open tasks', () => {
    given(granted('a', 60), held('t', part('a', 30)), held('u', part('a', 30)))
      .when(hold('v', 30))
      .rejects('insufficient_credits')
  })
  it('rejects a second hold for a settled task', () => {
    given(granted('a', 60), held('t', part('a', 30)), captured('t'))
      .when(hold('t', 30))
      .rejects('hold_settled')
    given(granted('a', 60), held('t', part('a', 30)), released('t', [part('a', 30)]))
      .when(hold('t', 30))
      .rejects('hold_settled')
  })
})

describe('settling a hold', () => {
  const open = [granted('a', 60, day(20)), granted('b', 60), held('t', part('a', 60), part('b', 30))]
  it('captures a hold', () => {
    given(...open)
      .when(capture('t'))
      .decides(captured('t'))
  })
  const back = released('t', [part('a', 60), part('b', 30)])
  it('releases a hold to the lots of its credits', () => {
    given(...open)
      .when(release('t'))
      .decides(back)
    given(...open, back)
      .when(hold('u', 120))
      .decides(held('u', part('a', 60), part('b', 60)))
  })
  it('releases credits of an expired or closed lot into a new lot for 30 days', () => {
    const late = { type: 'CreditsReleased', data: { ...released('t', [part('b', 30)], 60).data, at: day(21) } }
    given(...open)
      .when({ ...release('t'), at: day(21) } as CreditAccountCommand)
      .decides(late as CreditAccountEvent)
    given(...open, closed('b', 30))
      .when(release('t'))
      .decides(released('t', [part('a', 60)], 30))
    given(...open, closed('b', 30), released('t', [part('a', 60)], 30))
      .when(hold('u', 90))
      .decides(held('u', part('a', 60), part('returned-t', 30)))
  })
  it('does not make credits of an expired lot spendable by releasing them', () => {
    given(...open, back)
      .when({ ...hold('u', 61), at: day(21) } as CreditAccountCommand)
      .rejects('insufficient_credits')
  })
  it('neither releases a captured hold nor captures a released one', () => {
    given(...open, captured('t'))
      .when(release('t'))
      .decidesNothing()
    given(...open, back)
      .when(capture('t'))
      .decidesNothing()
  })
  it('ignores a capture or release without a hold', () => {
    given(...open)
      .when(capture('other'))
      .decidesNothing()
    given(...open)
      .when(release('other'))
      .decidesNothing()
  })
})

describe('closing lots', () => {
  it('closes expired lots with the credits left in them', () => {
    given(granted('a', 60, day(9)), granted('b', 5), held('t', part('a', 20)))
      .when({ type: 'ExpireLots', userId, at })
      .decides(closed('a', 40))
  })
  it('closes the lots of an ended subscription, also empty ones, and no others', () => {
    given(granted('free', 60), plan('p', 100), plan('q', 50), held('t', part('q', 50)))
      .when({ type: 'ForfeitLots', userId, lotIds: ['p', 'q', 'not granted'], at })
      .decides(closed('p', 100, 'subscription_ended'), closed('q', 0, 'subscription_ended'))
  })
  it('holds subscription credits before credits that never expire', () => {
    given(granted('free', 60), plan('p', 20))
      .when(hold('t', 30))
      .decides(held('t', part('p', 20), part('free', 10)))
  })
})
