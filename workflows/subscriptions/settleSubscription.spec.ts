import { beforeEach, describe, expect, it } from 'vitest'
import { createCredits } from '#backend/credits/credits.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import {
  activated,
  at,
  cancel,
  cancelled,
  changed,
  ended,
  mismatched,
  on,
  paid,
  refundProposed,
  reported,
  requested,
  restored,
  reversed,
  running,
  suspended,
  userId,
} from '#backend/subscriptions/testing/subscriptionFacts.ts'
import { SettleWorld } from '../testing/settleWorld.ts'
import { applyWebhook } from './applyWebhook.ts'
import { contextOf, sendCommand } from './sendCommand.ts'
import { type SettleDeps, settleSubscription } from './settleSubscription.ts'

const DAY_MS = 24 * 3_600_000
const asked = (type: 'SubscriptionPaused' | 'SubscriptionResumed') => reported(type, null)

let world: SettleWorld
beforeEach(() => {
  world = new SettleWorld()
})

describe('settling the credits of a subscription', () => {
  it('grants the credits of each sale once', async () => {
    await world.given(...running, paid('s2', on('02-01'), on('03-01')))
    await world.settle()
    await world.settle()
    expect(world.ledger()).toMatchObject([
      { type: 'CreditLotGranted', data: { lotId: 'sale-s1', amount: 4500, source: 'subscription' } },
      { type: 'CreditLotGranted', data: { lotId: 'sale-s2', amount: 4500, source: 'subscription' } },
    ])
  })

  it('grants the credits of a sale after the end as a payment, which is not forfeited', async () => {
    await world.given(...running, ended('A', 'expired'), paid('s2', on('02-01'), on('03-01'), true))
    await world.settle()
    expect(world.ledger()).toMatchObject([
      { type: 'CreditLotGranted', data: { lotId: 'sale-s1', source: 'subscription' } },
      { type: 'CreditLotGranted', data: { lotId: 'sale-s2', source: 'payment' } },
      { type: 'CreditLotClosed', data: { lotId: 'sale-s1', amount: 4500, reason: 'subscription_ended' } },
    ])
  })

  it('alerts the operator to a proposed refund until the sale is refunded', async () => {
    const proposed = [
      ...running,
      ended('A', 'expired'),
      paid('s2', on('02-01'), on('03-01'), true),
      changed(refundProposed('s2'), { automatic: false }),
      paid('s3', on('02-01'), on('03-01'), true),
      changed(refundProposed('s3'), { automatic: false }),
    ]
    await world.given(...proposed)
    await world.settle()
    const detail = (saleId: string) => `Sale ${saleId} of user user (44.99 USD) came after the end of the plan.`
    expect([...world.alerts]).toEqual([
      ['refund_proposed s2', detail('s2')],
      ['refund_proposed s3', detail('s3')],
    ])
    const refund = { saleId: 's2', reversalId: 'r1', kind: 'refund', amountCents: 4499 } as const
    await world.deps.handle(
      subscription,
      userId,
      { type: 'ReportReversal', userId, ...refund, at },
      contextOf(cancel()),
    )
    await world.settle()
    expect([...world.alerts.keys()]).toEqual(['refund_proposed s3'])
  })

  describe('refunds a sale that bought nothing', () => {
    const late = [...running, ended('A', 'expired'), paid('s2', on('01-09'), on('02-09'), true), refundProposed('s2')]
    const sale = { id: 's2', agreementId: 'A', amountCents: 4499, currency: 'USD', soldAt: on('01-09') }
    beforeEach(async () => {
      world.provider.knows('cancelled')
      world.provider.accounts.get('A')!.sales.push(sale)
      await world.given(...late)
    })
    const taken = () => world.provider.takenBack(sale)

    it('once, and takes its credits before', async () => {
      for (let n = 0; n < 3; n++) await world.settle()
      expect([taken(), [...world.alerts.keys()]]).toEqual([4499, []])
      const ofSale = world.ledger().filter(({ data }) => 'lotId' in data && data.lotId === 'sale-s2')
      expect(ofSale).toMatchObject([
        { type: 'CreditLotGranted' },
        { type: 'CreditLotClosed', data: { amount: 4500, reason: 'refund' } },
        { type: 'CreditsReversed', data: { parts: [], debt: 0 } },
      ])
    })

    it('not if some of its credits were used: that is the operator’s decision', async () => {
      const { credits } = world.deps
      await credits.grantSale(userId, { saleId: 's2', amount: 4500, source: 'payment' })
      await createCredits(world.deps.handle, () => world.now)
        .hold({ userId, taskId: 'task', amount: 10, openLimit: 1 }, contextOf(cancel()))
        .send()
      await world.settle()
      expect([taken(), [...world.alerts.keys()]]).toEqual([0, ['refund_proposed s2']])
    })

    it('whose credits stay taken if the refund fails, of which the alert says so', async () => {
      await world.settle()
      world.provider.failRefund(0)
      const [subject] = world.provider.webhooks.slice(-1)
      await applyWebhook({ ...world.deps, findBuyer: async () => userId }, subject!)
      await world.settle()
      expect(world.ledger().at(-1)?.type).toBe('CreditsReversed')
      expect([...world.alerts.keys()]).toEqual(['refund_failed R-s2-1', 'refund_proposed s2'])
      expect(world.alerts.get('refund_failed R-s2-1')).toContain(
        'but not those that were forfeited, or taken to make it',
      )
    })

    it('again after the provider refused it, until a week has passed', async () => {
      world.provider.refusesRefunds = true
      await world.settle()
      expect(world.alerts.get('refund_proposed s2')).toContain('The provider refused to refund it: refused.')
      world.provider.refusesRefunds = false
      world.now += 8 * 24 * 3_600_000
      await world.settle()
      expect(taken()).toBe(0)
      world.now -= 2 * 24 * 3_600_000
      await world.settle()
      expect([taken(), [...world.alerts.keys()]]).toEqual([4499, []])
    })
  })

  it('leaves a sale whose provider is not set up any more to the operator, and goes on', async () => {
    const late = [changed(paid('stripe:s2', on('01-09'), on('02-09'), true), { agreementId: 'stripe:A' })]
    const left = [requested('stripe:A'), ended('stripe:A', 'expired'), ...late, refundProposed('stripe:s2', 'stripe:A')]
    world.provider.knows('active', on('01-05'), 'B')
    await world.given(...left, requested('B'), activated('B'), ended('B', 'cancelled'))
    await world.settle()
    expect(world.changes()).toEqual(['cancel B'])
    expect(world.alerts.get('refund_proposed stripe:s2')).toContain('Its payment provider is not set up any more.')
    expect(world.ledger().map(({ type }) => type)).toEqual(['CreditLotGranted'])
  })

  it('names the unused share of a sale whose plan was ended soon after it', async () => {
    await world.given(...running)
    await world.settle()
    await createCredits(world.deps.handle, () => world.now)
      .hold({ userId, taskId: 'task', amount: 1500, openLimit: 1 }, contextOf(cancel()))
      .send()
    await sendCommand(world.deps, { type: 'CancelSubscription', userId, encryptedReason: null, atPeriodEnd: false, at })
    await world.settle()
    expect(world.alerts.get('refund_proposed s1')).toBe(
      'Sale s1 of user user (44.99 USD) was paid less than 14 days before the user ended its plan immediately. ' +
        '3000 of its 4500 credits were unused: refund 29.99 USD.',
    )
  })

  it('names the unused share also if a part of the sale was refunded before the plan ended', async () => {
    await world.given(...running, reversed('part', 1_000, 1_000))
    await world.settle()
    await sendCommand(world.deps, cancel(false))
    await world.settle()
    expect(world.alerts.get('refund_proposed s1')).toContain('3500 of its 4500 credits were unused: refund 34.99 USD.')
    const opened = world.store.log.find(({ type }) => type === 'CaseOpened')
    expect(opened?.data).toMatchObject({ kind: 'refund', subject: 's1', detail: 'cancelled' })
    const rest = { userId, saleId: 's1', reversalId: 'rest', amountCents: 3_499, kind: 'refund', at } as const
    await sendCommand(world.deps, { type: 'ReportReversal', ...rest })
    await world.settle()
    expect([...world.alerts.keys()]).toEqual([])
    expect(world.store.log.findLast(({ type }) => type === 'CaseClosed')?.data).toMatchObject({ outcome: 'refunded' })
  })

  it('takes used credits with the refund of the rest, and not with that of the unused share', async () => {
    await world.given(...running)
    await world.settle()
    const credits = createCredits(world.deps.handle, () => world.now)
    await credits.hold({ userId, taskId: 'task', amount: 1500, openLimit: 1 }, contextOf(cancel())).send()
    await sendCommand(world.deps, cancel(false))
    const refund = async (reversalId: string, amountCents: number) => {
      const about = { userId, saleId: 's1', reversalId, kind: 'refund', at } as const
      await world.settle()
      await sendCommand(world.deps, { type: 'ReportReversal', ...about, amountCents })
      await world.settle()
      return world.ledger().at(-1)?.data
    }
    expect(await refund('unused', 2_999)).toMatchObject({ reversalId: 'unused', parts: [], debt: 0 })
    expect(await refund('rest', 1_500)).toMatchObject({ reversalId: 'rest', parts: [], debt: 1_500 })
  })

  it('alerts the operator to the refund of a sale with the wrong price, which grants nothing', async () => {
    await world.given(...running, mismatched('s2', 999))
    await world.settle()
    expect([...world.alerts]).toEqual([
      [
        'refund_proposed s2',
        'Sale s2 of user user (9.99 USD) does not have the agreed price, or paid an order twice, so it granted no credits.',
      ],
    ])
    expect(world.ledger()).toHaveLength(1)
    const refund = { saleId: 's2', reversalId: 'r1', kind: 'refund', amountCents: 999 } as const
    await world.deps.handle(
      subscription,
      userId,
      { type: 'ReportReversal', userId, ...refund, at },
      contextOf(cancel()),
    )
    await world.settle()
    expect([...world.alerts]).toEqual([])
  })

  it('alerts the operator again if the chargeback of such a sale is reversed, because the money is kept', async () => {
    const chargeback = { saleId: 's2', reversalId: 's2 reversed', kind: 'reversal', amountCents: 999 } as const
    const won = { saleId: 's2', disputeId: 'd', outcome: 'won', statusAt: at } as const
    await world.given(...running, mismatched('s2', 999))
    await sendCommand(world.deps, { type: 'ReportReversal', userId, ...chargeback, at })
    await world.settle()
    expect([...world.alerts.keys()]).toEqual([])
    await sendCommand(world.deps, { type: 'ReportDispute', userId, ...won, at })
    await world.settle()
    expect([...world.alerts.keys()]).toEqual(['refund_proposed s2'])
  })

  it('claims the credits of a reversed sale back, with the kind of the reversal as the reason', async () => {
    const data = { userId, agreementId: 'A', at, saleId: 's1', amountCents: 1000, takenCents: 1000, credits: 1000 }
    await world.given(
      ...running,
      { type: 'SubscriptionSaleReversed', data: { ...data, reversalId: 'r1', kind: 'refund' } },
      { type: 'SubscriptionSaleReversed', data: { ...data, reversalId: 'r2', kind: 'reversal', credits: 500 } },
    )
    await world.settle()
    expect(world.ledger().slice(1)).toMatchObject([
      {
        type: 'CreditsReversed',
        data: { reversalId: 'r1', reason: 'refund', parts: [{ lotId: 'sale-s1', amount: 1000 }] },
      },
      {
        type: 'CreditsReversed',
        data: { reversalId: 'r2', reason: 'reversal', parts: [{ lotId: 'sale-s1', amount: 500 }] },
      },
    ])
  })

  it('claims even a single credit, but makes no claim for a reversal of none', async () => {
    const data = { userId, agreementId: 'A', at, saleId: 's1', amountCents: 1, takenCents: 1, kind: 'refund' } as const
    await world.given(
      ...running,
      { type: 'SubscriptionSaleReversed', data: { ...data, reversalId: 'none', credits: 0 } },
      { type: 'SubscriptionSaleReversed', data: { ...data, reversalId: 'one', credits: 1 } },
    )
    await world.settle()
    expect(world.ledger().slice(1)).toMatchObject([{ type: 'CreditsReversed', data: { reversalId: 'one' } }])
  })

  it('gives back the credits of a chargeback whose dispute was won, even a single one', async () => {
    const chargedBack = [
      ...running,
      paid('s2', on('02-01'), on('03-01')),
      reversed('s1 reversed', 4499, 4500, { kind: 'reversal' }),
    ]
    await world.given(...chargedBack, restored('one', 1, 1), restored('rest', 4498, 4499))
    await world.settle()
    await world.settle()
    expect(world.ledger().slice(2)).toMatchObject([
      { type: 'CreditsReversed', data: { reversalId: 's1 reversed' } },
      { type: 'CreditsRestored', data: { restorationId: 'one', lotId: 'sale-s1', amount: 1 } },
      { type: 'CreditsRestored', data: { restorationId: 'rest', lotId: 'sale-s1', amount: 4499 } },
    ])
  })

  it('gives back no credits of a sale that its other reversals still claim', async () => {
    const kept: [string, number][] = []
    const credits: SettleDeps['credits'] = {
      ...world.deps.credits,
      restoreSale: async (_, { restorationId, stillClaimed }) => void kept.push([restorationId, stillClaimed]),
    }
    await world.given(
      ...running,
      paid('s2', on('02-01'), on('03-01')),
      reversed('refund', 1000, 1000),
      reversed('of another', 500, 500, { saleId: 's2' }),
      reversed('chargeback', 4499, 3500, { kind: 'reversal' }),
      restored('won', 3499, 3500),
    )
    await settleSubscription({ ...world.deps, credits }, userId)
    expect(kept).toEqual([['won', 1000]])
  })

  it('links a grant to the request of its own agreement', async () => {
    const second = { ...paid('s2').data, agreementId: 'B' } as SubscriptionEvent<'SubscriptionPaid'>['data']
    await world.given(...running, requested('B'), { type: 'SubscriptionPaid', data: second })
    await world.settle()
    const causes = ['A', 'B'].map((id) => world.store.log.find(({ data }) => Object(data).agreementId === id)!.id)
    const grants = world.ledger().filter(({ type }) => type === 'CreditLotGranted')
    expect(grants.map(({ meta }) => [meta.correlationId, meta.causationId])).toEqual([
      ['request A', causes[0]],
      ['request B', causes[1]],
    ])
  })
})

describe('the time until a subscription must be settled again', () => {
  it('is the delay until the next change is due', async () => {
    await world.given(...running, cancelled(), asked('SubscriptionPaused'), reported('SubscriptionPaused', on('01-05')))
    expect(await world.settle()).toBe(22 * DAY_MS)
  })

  it('is null when no change is due', async () => {
    await world.given(...running)
    expect(await world.settle()).toBeNull()
  })

  it('is 0 when a change falls due while the subscription is settled', async () => {
    await world.given(...running, cancelled(), reported('SubscriptionPaused', on('01-05')))
    world.now = Date.parse(on('02-01')) - 1
    const { forfeitSales } = world.deps.credits
    const slow: SettleDeps['credits'] = {
      ...world.deps.credits,
      forfeitSales: async (...sales) => {
        world.now += DAY_MS
        await forfeitSales(...sales)
      },
    }
    expect(await settleSubscription({ ...world.deps, credits: slow }, userId)).toBe(0)
  })

  it('follows what the provider reports', async () => {
    world.provider.knows('active', on('01-09'))
    await world.given(...running, reported('SubscriptionPaused', on('01-05')), suspended('provider', at, on('01-05')))
    expect(await world.settle()).toBeNull()
  })
})

describe('a change that is due', () => {
  it('is applied and recorded as an act of the system', async () => {
    world.now = Date.parse(on('02-01'))
    await world.given(...running, cancelled(), reported('SubscriptionPaused', on('01-05')))
    expect(await world.settled()).toEqual([ended('A', 'period_end', null, on('02-01'))])
    expect(world.store.log.find(({ type }) => type === 'SubscriptionEnded')!.meta).toMatchObject({
      actor: 'system',
      correlationId: userId,
    })
  })
})
