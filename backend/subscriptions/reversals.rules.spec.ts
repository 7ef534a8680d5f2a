import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import { forfeitedSales } from './agreements.rules.ts'
import type { EndCause, SubscriptionEvent } from './events.ts'
import { subscription } from './subscription.decider.ts'
import {
  activated,
  at,
  changed,
  dated,
  dispute,
  disputed,
  ended,
  mismatched,
  on,
  paid,
  refundProposed,
  requested,
  restored,
  reversal,
  reversed,
  running,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)
const renewed = [...running, paid('s2', on('02-01'), on('03-01'))]
const chargeback = { kind: 'reversal' } as const
const about = (saleId: string) => ({ saleId })

/** A sale that grants the given credits for the price of 4499 cents. */
const worth = (saleId: string, credits: number): SubscriptionEvent =>
  ({ type: 'SubscriptionPaid', data: { ...paid(saleId).data, credits } }) as SubscriptionEvent

describe('a refund', () => {
  it('claims credits in proportion, and ends the plan if it is the whole sale of the current period', () => {
    given(...running)
      .when(reversal('r', 4499))
      .decides(reversed('r', 4499, 4500), ended('A', 'cancelled'))
    given(...running)
      .when(reversal('r', 1000))
      .decides(reversed('r', 1000, 1000))
    given(requested()).when(reversal('r', 4499)).rejects('unknown_sale')
  })

  it('claims the credits of the sale that was refunded, whatever was refunded of others', () => {
    given(...running, worth('s2', 2250))
      .when(reversal('r', 4499, about('s2')))
      .decides(reversed('r', 4499, 2250, about('s2')), ended('A', 'cancelled'))
    given(...renewed, reversed('r1', 4499, 4500))
      .when(reversal('r2', 1000, about('s2')))
      .decides(reversed('r2', 1000, 1000, about('s2')))
  })

  it('claims all credits of a sale that is refunded in thirteen parts', () => {
    let events: readonly SubscriptionEvent[] = running
    for (let part = 1; part <= 13; part++)
      events = report(events, reversal(`r${part}`, part < 13 ? 346 : 4499 - 12 * 346))
    expect(claims(events)).toBe(4500)
  })

  it('ends the plan when the refunds of its current period add up to the whole sale, if only by a cent', () => {
    given(...running, reversed('r1', 2000, 2000))
      .when(reversal('r2', 2499))
      .decides(reversed('r2', 2499, 2500), ended('A', 'cancelled'))
    given(...running, reversed('r1', 4498, 4498))
      .when(reversal('r2', 1))
      .decides(reversed('r2', 1, 2), ended('A', 'cancelled'))
  })

  describe('of an upgrade', () => {
    const upgraded = [...running, requested('B'), ended('A', 'replaced', 'B'), activated('B')]
    const ofB = (event: SubscriptionEvent) => changed(event, { agreementId: 'B' })
    const bought = [...upgraded, ofB(paid('b1', on('01-10'), on('02-10')))]
    const over = (events: readonly SubscriptionEvent[], cause: EndCause) => {
      given(...events)
        .when(reversal('r', 4499, about('b1')))
        .decides(ofB(reversed('r', 4499, 4500, about('b1'))), ended('B', cause))
      return forfeits([...events, ended('B', cause)])
    }

    it('forfeits no credits of the plan that it replaced, whose period is paid for', () => {
      expect(over(bought, 'refunded')).toEqual([])
    })

    it('forfeits the credits of a plan whose period is over, or whose payment was taken back', () => {
      const earlier = bought.map((event) =>
        'saleId' in event.data && event.data.saleId === 's1' ? paid('s1', on('01-01'), at) : event,
      )
      expect(over(earlier, 'cancelled')).toEqual(['s1', 'b1'])
      expect(over([...bought, reversed('q', 4499, 4500)], 'cancelled')).toEqual(['s1', 'b1'])
    })

    it('forfeits the credits of a plan that ended before it was bought', () => {
      const apart = [...running, ended('A', 'cancelled'), requested('B'), activated('B'), bought.at(-1)!]
      expect(over(apart, 'cancelled')).toEqual(['s1', 'b1'])
    })

    it('keeps the credits of the plan that it replaced if a part of them was taken back', () => {
      expect(over([...bought, reversed('q', 1000, 1000)], 'refunded')).toEqual([])
    })
  })

  it('keeps the plan when an earlier period is refunded', () => {
    given(...renewed)
      .when(reversal('r', 4499))
      .decides(reversed('r', 4499, 4500))
  })

  it('claims the credits of a sale after the end of the plan, although its refund was proposed', () => {
    const late = [...running, ended('A', 'unpaid'), paid('s2', on('01-11'), on('02-11'), true), refundProposed('s2')]
    given(...late)
      .when(reversal('r', 4499, about('s2')))
      .decides(reversed('r', 4499, 4500, about('s2')))
  })

  it('claims nothing for a mismatched sale, which granted nothing', () => {
    given(...running, mismatched('s2', 4498))
      .when(reversal('r', 4498, about('s2')))
      .decides(reversed('r', 4498, 0, about('s2')))
  })

  it('claims the credits of a sale that matches, although another one did not', () => {
    given(...renewed, mismatched('s3'))
      .when(reversal('r', 1000))
      .decides(reversed('r', 1000, 1000))
  })
})

describe('a chargeback', () => {
  it('claims only what no refund of the sale has claimed', () => {
    given(...renewed, reversed('r', 1000, 1000))
      .when(reversal('s1 reversed', 4499, chargeback))
      .decides(reversed('s1 reversed', 4499, 3500, { ...chargeback, takenCents: 3499 }))
  })

  it('that takes nothing further claims nothing and leaves the plan as it is', () => {
    given(...running, reversed('r', 4499, 4500))
      .when(reversal('s1 reversed', 4499, chargeback))
      .decides(reversed('s1 reversed', 4499, 0, { ...chargeback, takenCents: 0 }))
  })

  it('claims nothing if the dispute about its sale was won before', () => {
    given(...running, disputed('won', '01-09'))
      .when(reversal('s1 reversed', 4499, chargeback))
      .decides(reversed('s1 reversed', 4499, 0, { ...chargeback, takenCents: 0 }))
  })
})

describe('a dispute', () => {
  const lost = reversed('s1 reversed', 4499, 4500, chargeback)
  const won = restored(`d s1 ${on('01-09')}`, 4499, 4500)

  it('claims and gives back nothing while no chargeback took money', () => {
    for (const outcome of ['open', 'won', 'lost'] as const)
      given(...running)
        .when(dispute(outcome, '01-05'))
        .decides(disputed(outcome, '01-05'))
    given(requested()).when(dispute('open', '01-05')).rejects('unknown_sale')
  })

  it('gives the credits of a chargeback back when it is won, and claims them again when it is lost on appeal', () => {
    const charged = [...renewed, disputed('open', '01-05'), lost]
    given(...charged)
      .when(dispute('won', '01-09'))
      .decides(disputed('won', '01-09'), won)
    given(...charged, disputed('won', '01-09'), won)
      .when(dispute('lost', '01-10'))
      .decides(disputed('lost', '01-10'), reversed(`d s1 ${on('01-10')}`, 0, 4500, { ...chargeback, takenCents: 4499 }))
  })

  it('claims nothing while its appeal is open', () => {
    const charged = [...renewed, disputed('open', '01-05'), lost, disputed('won', '01-09'), won]
    given(...charged)
      .when(dispute('open', '01-10'))
      .decidesNothing()
    given(...charged)
      .when(dispute('won', '01-11'))
      .decides(disputed('won', '01-11'))
  })

  it('ends the plan when it is lost on appeal and concerns the sale of the current period', () => {
    given(...running, disputed('won', '01-09'), reversed('s1 reversed', 4499, 0, { ...chargeback, takenCents: 0 }))
      .when(dispute('lost', '01-10'))
      .decides(
        disputed('lost', '01-10'),
        reversed(`d s1 ${on('01-10')}`, 0, 4500, { ...chargeback, takenCents: 4499 }),
        ended('A', 'cancelled'),
      )
  })

  it('moves even a single cent', () => {
    const cent = reversed('s1 reversed', 1, 1, chargeback)
    const centWon = restored(`d s1 ${on('01-09')}`, 1, 1)
    given(...running, cent)
      .when(dispute('won', '01-09'))
      .decides(disputed('won', '01-09'), centWon)
    given(...running, cent, disputed('won', '01-09'), centWon)
      .when(dispute('lost', '01-10'))
      .decides(disputed('lost', '01-10'), reversed(`d s1 ${on('01-10')}`, 0, 1, { ...chargeback, takenCents: 1 }))
  })

  it('gives back nothing that was refunded', () => {
    given(...renewed, reversed('r', 1000, 1000), reversed('s1 reversed', 4499, 3500, chargeback))
      .when(dispute('won', '01-09'))
      .decides(disputed('won', '01-09'), restored(`d s1 ${on('01-09')}`, 3499, 3500))
  })

  it('gives back no credits if the chargeback claimed none', () => {
    const [request, activation] = running
    given(request!, activation!, worth('s1', 45), reversed('s1 reversed', 1, 0, chargeback))
      .when(dispute('won', '01-09'))
      .decides(disputed('won', '01-09'), restored(`d s1 ${on('01-09')}`, 1, 0))
  })

  it('that is won gives credits back only once all disputes about the sale are won', () => {
    const [first, second] = [{ disputeId: 'd1' }, { disputeId: 'd2' }]
    const both = [...renewed, lost, disputed('open', '01-05', first), disputed('open', '01-06', second)]
    given(...both)
      .when(dispute('won', '01-08', first))
      .decides(disputed('won', '01-08', first))
    given(...both, disputed('won', '01-08', first))
      .when(dispute('won', '01-07', second))
      .decides(disputed('won', '01-07', second), restored(`d2 s1 ${on('01-07')}`, 4499, 4500))
  })

  it('that is won gives nothing back for other sales', () => {
    given(...renewed, lost)
      .when(dispute('won', '01-09', about('s2')))
      .decides(disputed('won', '01-09', about('s2')))
  })

  it('that is won keeps the credits if its chargeback had claimed them when the plan ended, and only then', () => {
    const over = (day: string) => ended('A', 'cancelled', null, on(day))
    const claims = (day: string, kind: 'refund' | 'reversal' = 'reversal') =>
      dated(reversed(`r ${day}`, 4499, 4500, { kind }), on(day))
    const returns = (day: string, credits = 4500) => dated(restored(`d ${day}`, credits, credits), on(day))
    const forfeited = (...events: SubscriptionEvent[]) => forfeits([...renewed, ...events])
    expect(forfeited(claims('01-10'), over('01-10'), returns('01-11'))).toEqual(['s2'])
    expect(forfeited(reversed('r', 1, 1, chargeback), over('01-10'), returns('01-11', 1))).toEqual(['s2'])
    expect(forfeited(claims('01-10'), over('01-10'))).toEqual(['s1', 's2'])
    expect(forfeited(claims('01-10'), returns('01-10'), over('01-10'))).toEqual(['s1', 's2'])
    expect(forfeited(claims('01-08'), returns('01-09', 4456), over('01-10'))).toEqual(['s1', 's2'])
    expect(forfeited(over('01-10'), claims('01-11'), returns('01-12'))).toEqual(['s1', 's2'])
    expect(forfeited(claims('01-09', 'refund'), over('01-10'), claims('01-11'), returns('01-12'))).toEqual(['s1', 's2'])
    expect(forfeited(claims('01-10'), over('01-10'), returns('01-11'), claims('01-12'))).toEqual(['s1', 's2'])
    const appeal = [claims('01-11'), returns('01-12')]
    expect(forfeited(claims('01-08'), returns('01-09'), over('01-10'), ...appeal)).toEqual(['s1', 's2'])
  })

  it('is recorded for each sale that it concerns', () => {
    given(...renewed, disputed('open', '01-09'))
      .when(dispute('open', '01-05', about('s2')))
      .decides(disputed('open', '01-05', about('s2')))
    given(...renewed, disputed('open', '01-09'), disputed('open', '01-05', about('s2')))
      .when(dispute('open', '01-09'))
      .decidesNothing()
  })

  it('changes nothing by a report that is repeated or older than the known one', () => {
    for (const day of ['01-05', '01-09'])
      given(...renewed, lost, disputed('won', '01-09'), won)
        .when(dispute('lost', day))
        .decidesNothing()
  })

  it('moves the money of a mismatched sale, but no credits and no plan', () => {
    const [s2, claim] = [about('s2'), { ...chargeback, ...about('s2') }]
    const claimed = [requested(), activated(), mismatched('s2', 4498), reversed('r', 4498, 0, claim)]
    const restoration = changed(restored(`d s2 ${on('01-09')}`, 4498, 0), s2)
    given(...claimed)
      .when(dispute('won', '01-09', s2))
      .decides(disputed('won', '01-09', s2), restoration)
    given(...claimed, disputed('won', '01-09', s2), restoration)
      .when(dispute('lost', '01-10', s2))
      .decides(disputed('lost', '01-10', s2), reversed(`d s2 ${on('01-10')}`, 0, 0, { ...claim, takenCents: 4498 }))
  })
})

const forfeits = (events: readonly SubscriptionEvent[]) =>
  forfeitedSales(events.reduce(subscription.evolve, subscription.initial))

const report = (events: readonly SubscriptionEvent[], command: ReturnType<typeof reversal>) => [
  ...events,
  ...subscription.decide(command, events.reduce(subscription.evolve, subscription.initial)),
]

const claims = (events: readonly SubscriptionEvent[]) =>
  events.reduce((sum, { type, data }) => sum + (type === 'SubscriptionSaleReversed' ? data.credits : 0), 0)
