import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import type { ListedSale, ProviderSale, WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import {
  activated,
  at,
  changed,
  ended,
  failedOn,
  mismatched,
  on,
  paid,
  requested,
  reversed,
  running,
  suspended,
  userId,
} from '#backend/subscriptions/testing/subscriptionFacts.ts'
import { SettleWorld } from '../testing/settleWorld.ts'
import { applyWebhook } from './applyWebhook.ts'
import { refreshAgreement } from './refreshAgreement.ts'
import { sendCommand } from './sendCommand.ts'

let world: SettleWorld
let findBuyer: (saleId: string) => Promise<string | undefined>

beforeEach(() => {
  world = new SettleWorld()
  world.provider.knows('active')
  findBuyer = async (saleId) => (saleId.startsWith('s') ? userId : undefined)
})

const apply = (subject: WebhookSubject) => applyWebhook({ ...world.deps, findBuyer }, subject)

/** Returns the events that an action adds to the subscription. */
async function added(action: () => Promise<unknown>): Promise<object[]> {
  const known = world.store.log.length
  await action()
  return world.store.log.slice(known).map(({ type, data }) => ({ type, data }))
}

const soldOn = (id: string, soldAt: string): ProviderSale => ({
  ...{ id, agreementId: 'A', amountCents: 4499, currency: 'USD', soldAt },
})
const remote = () => world.provider.accounts.get('A')!
const lists = (...sales: ListedSale[]) => {
  world.provider.listSales = async () => sales
}
const dated = (event: SubscriptionEvent) => changed(event, { at: new Date(world.now).toISOString() })

describe('a failed payment', () => {
  const hint = { kind: 'payment_failed', agreementId: 'A' } as const

  it('leaves seven days', async () => {
    await world.given(...running)
    remote().failedAt = on('01-08')
    expect(await added(() => apply(hint))).toEqual([failedOn(on('01-08'), on('01-15'))])
  })

  it('leaves seven days from the first one', async () => {
    await world.given(...running, failedOn(on('01-07'), on('01-14')))
    remote().failedAt = on('01-08')
    expect(await added(() => apply(hint))).toEqual([failedOn(on('01-08'), on('01-14'))])
  })

  it('is not believed unless the provider says so', async () => {
    await world.given(...running)
    expect(await added(() => apply(hint))).toEqual([])
  })
})

describe('a sale', () => {
  const sale = soldOn('s2', on('02-01'))
  beforeEach(() => {
    world.now = Date.parse(on('02-02'))
  })

  it.each([
    ['the next billing', on('03-01'), on('03-01')],
    ['the next billing that is shifted by less than four days', on('03-04'), on('03-04')],
    ['a month, if a later sale pays until the next billing', on('03-05'), on('03-01')],
    ['a month, if the next billing is its own', on('02-01'), on('03-01')],
    ['a month, if none is planned', null, on('03-01')],
  ])('pays until %s', async (_, nextBillingAt, periodEnd) => {
    await world.given(...running)
    remote().nextBillingAt = nextBillingAt
    lists({ ...sale, refunded: false })
    expect(await added(() => apply({ kind: 'sale', sale }))).toEqual([dated(paid('s2', on('02-01'), periodEnd))])
  })

  it('is recorded before a later one that the provider lists', async () => {
    await world.given(...running)
    world.now = Date.parse(on('03-02'))
    remote().nextBillingAt = on('04-01')
    lists({ ...soldOn('s3', on('03-01')), refunded: false }, { ...sale, refunded: false })
    expect(await added(() => apply({ kind: 'sale', sale }))).toEqual([
      dated(paid('s2', on('02-01'), on('03-01'))),
      dated(paid('s3', on('03-01'), on('04-01'))),
    ])
  })

  it('waits until the provider lists it', async () => {
    await world.given(...running)
    expect(await added(async () => expect(await apply({ kind: 'sale', sale })).toBe('later'))).toEqual([])
    lists({ ...sale, refunded: false })
    expect(await apply({ kind: 'sale', sale })).toEqual({ userId })
  })

  it('is a case for the operator if its amount cannot be booked, and does not stop the others', async () => {
    await world.given(...running)
    lists({ ...sale, amountCents: undefined, refunded: true }, { ...soldOn('s3', on('03-01')), refunded: false })
    expect(await added(() => refreshAgreement(world.deps, 'A', { reconciles: true }))).toMatchObject([
      { type: 'SubscriptionPaid', data: { saleId: 's3' } },
    ])
    expect([...world.alerts.keys()]).toEqual(['sale_unreadable s2'])
  })

  it('is looked for from a day before the order', async () => {
    const before = changed(requested('B'), { at: '2025-12-01T00:00:00.000Z' })
    await world.given(before, ended('B', 'withdrawn'), ...running)
    const asked: string[] = []
    world.provider.listSales = async (...about) => {
      asked.push(...about)
      return []
    }
    await apply({ kind: 'sale', sale })
    expect(asked).toEqual(['A', '2025-12-31T00:00:00.000Z', on('02-02')])
  })

  it('waits if its agreement was not ordered yet, and is ignored if it is not Kinora’s', async () => {
    await world.given(...running)
    world.provider.knows('active', at, 'B')
    expect(await apply({ kind: 'sale', sale: { ...sale, agreementId: 'B' } })).toBe('later')
    expect(await apply({ kind: 'sale', sale: { ...sale, agreementId: 'foreign' } })).toBe('ignored')
  })
})

describe('a refund', () => {
  const refund = (saleId: string, reversalId = 'r1'): WebhookSubject => ({
    ...{ kind: 'reversal', saleId, reversalId, reversal: 'refund' },
  })
  beforeEach(() => {
    world.provider.getReversal = async ({ saleId, reversalId }) => ({
      ...{ saleId, reversalId, amountCents: 100, reversal: 'refund' },
    })
  })

  it('waits until the provider knows it', async () => {
    await world.given(...running)
    world.provider.getReversal = async () => undefined
    expect(await added(async () => expect(await apply(refund('s1'))).toBe('later'))).toEqual([])
  })

  it('that failed later gives back what it claimed, and alerts the operator', async () => {
    await world.given(...running)
    await apply(refund('s1'))
    world.provider.getReversal = async ({ saleId, reversalId }) => ({
      ...{ saleId, reversalId, amountCents: 100, reversal: 'refund', failed: true },
    })
    const fails = () => added(() => apply(refund('s1')))
    expect(await fails()).toMatchObject([
      { type: 'SubscriptionSaleRestored', data: { saleId: 's1', reversalId: 'r1', amountCents: 100, credits: 100 } },
      { type: 'CaseOpened', data: { kind: 'failed_refund', subject: 'r1' } },
    ])
    expect([...world.alerts.keys()]).toEqual(['refund_failed r1'])
    expect(await fails()).toEqual([])
  })

  it('that failed alerts the operator also if the process stops in between', async () => {
    await world.given(...running)
    await apply(refund('s1'))
    const failed = { reversalId: 'r1', amountCents: 100, reversal: 'refund', failed: true } as const
    world.provider.getReversal = async ({ saleId }) => ({ saleId, ...failed })
    const raise = vi.spyOn(world.deps.alerts, 'raise').mockRejectedValueOnce(new Error('stopped'))
    await expect(apply(refund('s1'))).rejects.toThrow('stopped')
    raise.mockRestore()
    await apply(refund('s1'))
    expect([...world.alerts.keys()]).toEqual(['refund_failed r1'])
  })

  it('that failed before it was known claims nothing, and is a case for the operator, once', async () => {
    await world.given(...running)
    world.provider.getReversal = async ({ saleId, reversalId }) => ({
      ...{ saleId, reversalId, amountCents: 100, reversal: 'refund', failed: true },
    })
    const opening = { kind: 'failed_refund', subject: 'r1', userId, saleId: 's1', amount: 100, currency: 'USD' }
    expect(await added(() => apply(refund('s1')))).toMatchObject([{ type: 'CaseOpened', data: opening }])
    expect(await added(() => apply(refund('s1')))).toEqual([])
  })

  it('is recorded once, after the agreement was asked about', async () => {
    const before = [requested('B'), activated('B'), changed(paid('s0'), { agreementId: 'B' }), ended('B', 'cancelled')]
    await world.given(...before, ...running, reversed('r0', 100, 100, { takenCents: 100 }))
    expect(await added(() => apply(refund('s1')))).toEqual([reversed('r1', 100, 100)])
    expect(world.provider.calls).toEqual(['get A'])
    expect(await added(() => apply(refund('s1')))).toEqual([])
    expect(world.provider.calls).toEqual(['get A'])
  })

  it('waits for its sale', async () => {
    await world.given(...running)
    expect(await apply(refund('foreign'))).toBe('later')
    expect(await apply(refund('s2'))).toBe('later')
  })

  it.each([new Rejection('refused', 'Not now.'), new Error('the log is unreachable')])(
    'fails with %o',
    async (error) => {
      findBuyer = () => Promise.reject(error)
      await expect(apply(refund('s1'))).rejects.toBe(error)
    },
  )
})

describe('a warning of fraud', () => {
  const warn = (saleId?: string) => {
    const getFraudWarning = async () => (saleId === undefined ? undefined : { saleId })
    const deps = { ...world.deps, findBuyer, payments: { ...world.deps.payments, getFraudWarning } }
    return applyWebhook(deps, { kind: 'fraud_warning', warningId: 'w' })
  }

  it('alerts the operator until all of the sale is taken back', async () => {
    await world.given(...running, reversed('part', 1_000, 1_000))
    expect(await warn('s1')).toEqual({ userId })
    await world.settle()
    expect([...world.alerts.keys()]).toEqual(['fraud_warning s1'])
    const rest = { userId, saleId: 's1', reversalId: 'rest', amountCents: 3_499, kind: 'refund', at } as const
    await sendCommand(world.deps, { type: 'ReportReversal', ...rest })
    await world.settle()
    expect([...world.alerts.keys()]).toEqual([])
  })

  it('is ignored if its sale was refunded before it is read, and waits for its sale', async () => {
    await world.given(...running)
    expect(await warn()).toBe('ignored')
    expect(await warn('foreign')).toBe('later')
  })
})

describe('a sale that the provider lists as refunded', () => {
  const refresh = () => refreshAgreement(world.deps, 'A', { reconciles: true })
  const chargeback = (saleId: string) =>
    reversed(`${saleId} taken back`, 4499, 4500, { saleId, kind: 'reversal', takenCents: 4499, assumed: true })

  it('is charged back unless all of it is booked', async () => {
    const [s1, s2] = [soldOn('s1', on('01-01')), soldOn('s2', on('01-02'))]
    lists({ ...s1, refunded: true }, { ...s2, refunded: true })
    await world.given(...running, paid('s2', on('01-02')), reversed('r1', 4499, 4500))
    expect((await added(refresh))[0]).toEqual(chargeback('s2'))
    expect(await added(refresh)).toEqual([])
  })

  it('is charged back for the rest of a refund', async () => {
    lists({ ...soldOn('s1', on('01-01')), refunded: true })
    await world.given(...running, reversed('r1', 100, 100))
    const rest = { takenCents: 4399, credits: 4400 }
    expect((await added(refresh))[0]).toEqual(changed(chargeback('s1'), rest))
  })

  it('waits for the webhook of its refund until the next reconciliation', async () => {
    lists({ ...soldOn('s1', on('01-01')), refunded: true })
    await world.given(...running)
    expect(await added(() => apply({ kind: 'agreement', agreementId: 'A' }))).toEqual([])
  })

  it('is charged back again after a refund that failed, once', async () => {
    lists({ ...soldOn('s1', on('01-01')), refunded: true })
    await world.given(...running)
    await refresh()
    const about = { saleId: 's1', reversalId: 'r1', reversal: 'refund' } as const
    world.provider.getReversal = async () => ({ ...about, amountCents: 4499, failed: true })
    await apply({ kind: 'reversal', ...about })
    const again = { reversalId: 's1 taken back 2', credits: 4500 }
    expect(await added(refresh)).toEqual([dated(changed(chargeback('s1'), again))])
    expect(await added(refresh)).toEqual([])
    expect(await added(() => apply({ kind: 'reversal', ...about }))).toEqual([])
  })

  it('is charged back if it had another price than the plan, unless its refund is booked', async () => {
    const odd = { ...soldOn('odd', on('01-03')), amountCents: 4000, refunded: true }
    lists(odd, { ...odd, id: 'refunded' })
    const refunded = [mismatched('refunded', 4000), reversed('r2', 4000, 0, { saleId: 'refunded' })]
    await world.given(...running, reversed('r1', 100, 100), ...refunded)
    const about = { saleId: 'odd', amountCents: 4000, takenCents: 4000 }
    expect(await added(refresh)).toMatchObject([{ type: 'SubscriptionSaleMismatched' }, { data: about }])
  })
})

describe('the status of an agreement', () => {
  it('is read from the provider', async () => {
    await world.given(...running)
    world.provider.knows('suspended')
    expect(await added(() => apply({ kind: 'agreement', agreementId: 'A' }))).toEqual([
      suspended('provider', at, on('01-05')),
    ])
  })
})
