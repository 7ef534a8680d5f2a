import { beforeEach, describe, expect, it } from 'vitest'
import { caseIdOf, createCases } from '#backend/cases/cases.ts'
import { CASE, type CaseEvent } from '#backend/cases/events.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { at, mismatched, on, running, unusedRefund, userId } from '#backend/subscriptions/testing/subscriptionFacts.ts'
import { SettleWorld } from '../testing/settleWorld.ts'
import { sendCommand } from './sendCommand.ts'

const about = { userId, agreementId: 'A', at }
const disputed = (outcome: 'open' | 'won' | 'lost', statusAt: string, dueAt?: string): SubscriptionEvent => ({
  type: 'SubscriptionSaleDisputed',
  data: { ...about, saleId: 's1', disputeId: 'd1', outcome, statusAt, ...(dueAt && { dueAt }) },
})

let world: SettleWorld
beforeEach(() => {
  world = new SettleWorld()
})
/** Returns the events of cases, each as its type and the outcome or kind. */
const cases = () =>
  world.store.log.flatMap(({ stream, type, data }) => {
    const event = { type, data } as CaseEvent
    if (!stream.startsWith(`${CASE}-`)) return []
    return [event.type === 'CaseOpened' ? event.data.kind : event.type === 'CaseClosed' ? event.data.outcome : type]
  })

describe('the cases of a subscription', () => {
  it('are opened once for a proposed refund, and end when the sale is refunded', async () => {
    await world.given(...running, unusedRefund('s1'))
    await world.settle()
    await world.settle()
    expect(cases()).toEqual(['refund'])
    expect(world.store.log.find(({ type }) => type === 'CaseOpened')?.data).toMatchObject({
      ...{ subject: 's1', saleId: 's1', userId, amount: 4499, currency: 'USD', detail: 'cancelled' },
    })
    const reversal = { saleId: 's1', reversalId: 'R', amountCents: 4499, kind: 'refund' } as const
    await sendCommand(world.deps, { type: 'ReportReversal', userId, at, ...reversal })
    await world.settle()
    await world.settle()
    expect(cases()).toEqual(['refund', 'refunded'])
  })

  it('are opened for a refund that failed beside another part, and end with the next refund', async () => {
    const refund = async (reversalId: string) => {
      const about = { userId, saleId: 's1', reversalId, amountCents: 1_000, kind: 'refund', at } as const
      await sendCommand(world.deps, { type: 'ReportReversal', ...about })
    }
    await world.given(...running)
    await refund('one')
    await refund('two')
    await sendCommand(world.deps, { type: 'ReportFailedRefund', userId, at, saleId: 's1', reversalId: 'two' })
    await world.settle()
    expect(cases()).toEqual(['failed_refund'])
    expect(world.store.log.find(({ type }) => type === 'CaseOpened')?.data).toMatchObject({ subject: 'two' })
    await refund('three')
    await world.settle()
    expect(cases()).toEqual(['failed_refund', 'refunded'])
  })

  it('stay ended if an operator ended them', async () => {
    await world.given(...running, mismatched('s2', 999))
    await world.settle()
    const caseId = caseIdOf('mismatch', 's2')
    const desk = createCases({ ...world.deps, changes: { waitFor: async () => {} } })
    await desk.assign(caseId, 'olga', 'olga')
    await desk.close(caseId, 'dismissed', 'paid by bank', 'olga')
    await world.settle()
    expect(cases()).toEqual(['mismatch', 'CaseAssigned', 'dismissed'])
  })

  it('follow a dispute with its due date, and are opened again by an appeal', async () => {
    const due = on('01-20')
    await world.given(...running, disputed('open', on('01-08'), due))
    await world.settle()
    expect(world.store.log.find(({ type }) => type === 'CaseOpened')?.data).toMatchObject({ dueAt: due, saleId: 's1' })
    const lost = { saleId: 's1', disputeId: 'd1', outcome: 'lost', statusAt: on('01-09') } as const
    await sendCommand(world.deps, { type: 'ReportDispute', userId, at, ...lost })
    await world.settle()
    expect(cases()).toEqual(['dispute', 'lost'])
    await sendCommand(world.deps, { type: 'ReportDispute', userId, at, ...lost, outcome: 'open', statusAt: at })
    await world.settle()
    expect(cases()).toEqual(['dispute', 'lost', 'dispute'])
  })
})
