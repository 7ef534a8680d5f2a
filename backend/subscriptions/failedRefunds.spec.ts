import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import { forfeitedSales } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import type { SubscriptionEvent } from './events.ts'
import { undoneBy } from './reversals.rules.ts'
import { subscription } from './subscription.decider.ts'
import { at, changed, ended, on, paid, reversal, reversed, running, userId } from './testing/subscriptionFacts.ts'

const given = specification(subscription)
const two = [...running, paid('s2', on('02-01'), on('03-01'))]

const report = (reversalId: string, saleId = 's1'): SubscriptionCommand<'ReportFailedRefund'> => ({
  ...{ type: 'ReportFailedRefund', userId, at, saleId, reversalId },
})
const givenBack = (reversalId: string, amountCents: number, credits: number, saleId = 's1'): SubscriptionEvent => ({
  type: 'SubscriptionSaleRestored',
  data: {
    ...{ userId, agreementId: 'A', at, saleId, reversalId },
    ...{ restorationId: `${reversalId} ${saleId} failed`, amountCents, credits },
  },
})
const assumed = (saleId: string, credits: number, takenCents = 4499) =>
  reversed(`${saleId} taken back`, 4499, credits, { saleId, kind: 'reversal', takenCents, assumed: true })

describe('a refund that failed after it was reported', () => {
  it('gives back what it claimed, once, and what other refunds claimed stays claimed', () => {
    const parts = [...two, reversed('r', 1000, 1000), reversed('q', 500, 500)]
    given(...parts)
      .when(report('r'))
      .decides(givenBack('r', 1000, 1000))
    given(...parts, givenBack('r', 1000, 1000))
      .when(report('r'))
      .decides()
    given(...parts, givenBack('r', 1000, 1000))
      .when(report('q'))
      .decides(givenBack('q', 500, 500))
  })

  it('changes nothing if it was never reported, or is of another sale', () => {
    given(...two)
      .when(report('r'))
      .decides()
    given(...two, reversed('r', 100, 100))
      .when(report('q'))
      .decides()
  })

  it('undoes the assumption that stood in its place, of its sale alone', () => {
    const both = [...two, assumed('s1', 4500), assumed('s2', 4500)]
    given(...both)
      .when(report('r'))
      .decides(givenBack('r', 4499, 4500))
    const state = both.reduce(subscription.evolve, subscription.initial)
    expect(undoneBy(state, 's1', 'r').map(({ id }) => id)).toEqual(['s1 taken back'])
    given(...two, reversed('r', 4499, 4500), assumed('s1', 0, 0))
      .when(report('r'))
      .decides(givenBack('r', 4499, 4500))
  })

  it('that is reported again does not undo what was assumed since', () => {
    given(...two, reversed('r', 4499, 4500), givenBack('r', 4499, 4500), assumed('s1', 4500))
      .when(report('r'))
      .decides()
    given(...two, assumed('s1', 4500), givenBack('r', 4499, 4500))
      .when(report('q'))
      .decides()
  })

  it('leaves a chargeback, which took the money as well', () => {
    given(...two, reversed('r', 100, 100), reversed('c', 4499, 4400, { kind: 'reversal', takenCents: 4399 }))
      .when(report('r'))
      .decides(givenBack('r', 0, 0))
  })

  it('is no longer taken from the sale, so that a later refund claims its own share', () => {
    given(...two, reversed('r', 4499, 4500), givenBack('r', 4499, 4500))
      .when(reversal('q', 1000))
      .decides(reversed('q', 1000, 1000))
  })

  it('leaves the credits to the buyer, although the plan ended with it', () => {
    const events = [
      ...running,
      reversed('r', 4499, 4500),
      ended('A', 'cancelled'),
      changed(givenBack('r', 4499, 4500), { at: on('01-20') }),
    ]
    const state = events.reduce(subscription.evolve, subscription.initial)
    expect(forfeitedSales(state)).toEqual([])
    expect(forfeitedSales(events.slice(0, -1).reduce(subscription.evolve, subscription.initial))).toEqual(['s1'])
  })
})

describe('a sale that is listed as taken back', () => {
  it('is marked as assumed, unlike one whose reversal is known', () => {
    const chargeback = { kind: 'reversal' } as const
    const command = { ...reversal('r', 4499, chargeback), assumed: true } as SubscriptionCommand
    given(...two)
      .when(command)
      .decides(reversed('r', 4499, 4500, { ...chargeback, assumed: true }))
    given(...two)
      .when(reversal('r', 4499, chargeback))
      .decides(reversed('r', 4499, 4500, chargeback))
  })
})
