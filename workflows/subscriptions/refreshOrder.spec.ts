import { beforeEach, describe, expect, it } from 'vitest'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { userId } from '#backend/subscriptions/testing/subscriptionFacts.ts'
import { SettleWorld } from '../testing/settleWorld.ts'
import { applyWebhook, type WebhookDeps } from './applyWebhook.ts'
import { sendCommand } from './sendCommand.ts'
import { settleUnlessRefused } from './settleSubscription.ts'

const HOUR = 3_600_000
const SOLD = { amountCents: 499, currency: 'USD', credits: 300 }
let world: SettleWorld
let orderId: string
beforeEach(async () => {
  world = new SettleWorld()
  orderId = (await world.provider.createOrder({ userId, ...SOLD })).orderId
  const order = { agreementId: orderId, provider: 'model', pack: 'small', ...SOLD, at: now() }
  await sendCommand(world.deps, { type: 'RequestPack', userId, ...order })
})
const now = () => new Date(world.now).toISOString()
const settle = () => settleUnlessRefused(world.deps, userId)
const packs = async () => {
  const { packs } = await sendCommand(world.deps, { type: 'ApplyDueChanges', userId, at: now() })
  return packs.map(({ status }) => status)
}

describe('an order of a pack', () => {
  it('is asked about each hour, so that a lost webhook loses no payment', async () => {
    expect(await settle()).toEqual({ due: HOUR, failures: [] })
    world.provider.approveOrder(orderId)
    await settle()
    expect(await packs()).toEqual(['paid'])
    expect(await settle()).toEqual({ due: null, failures: [] })
    expect(world.ledger().map(({ type, data }) => [type, 'source' in data && data.source])).toEqual([
      ['CreditLotGranted', 'pack'],
    ])
  })

  it('lapses after three days, once the provider has been asked, and is granted when it is paid later', async () => {
    world.now += 72 * HOUR - 1
    await settle()
    expect(await packs()).toEqual(['requested'])
    world.now += 1
    world.provider.down = true
    await expect(settle()).rejects.toThrow(PaymentProviderDown)
    expect(await packs()).toEqual(['requested'])
    world.provider.down = false
    await settle()
    expect(await packs()).toEqual(['lapsed'])
    expect((await settle()).due).toBe(null)
    world.provider.approveOrder(orderId)
    await applyWebhook(world.deps as WebhookDeps, { kind: 'order', orderId })
    expect(await packs()).toEqual(['paid'])
  })

  it('that lapsed is asked about again if the process stops after its money was taken', async () => {
    world.now += 72 * HOUR
    await settle()
    world.provider.approveOrder(orderId)
    const { provider } = world
    const collect = provider.collectOrder.bind(provider)
    provider.collectOrder = async (...order) => {
      await collect(...order)
      throw new PaymentProviderDown('the answer was lost')
    }
    const webhook = { kind: 'order', orderId } as const
    await expect(applyWebhook(world.deps as WebhookDeps, webhook)).rejects.toThrow(PaymentProviderDown)
    provider.collectOrder = collect
    // The webhook does not come again.
    await settle()
    expect(await packs()).toEqual(['paid'])
  })

  it('of a deleted account is closed, takes no money, and grants nothing', async () => {
    const account = { userId, at: now() }
    await sendCommand(world.deps, { type: 'AbandonPacks', ...account })
    await settle()
    world.provider.approveOrder(orderId)
    const webhook = { kind: 'order', orderId } as const
    expect(await applyWebhook(world.deps as WebhookDeps, webhook)).toBe('later')
    expect(world.provider.orders.get(orderId)?.sales).toEqual([])
    // A provider that takes the money by itself reports the sale, which is to be refunded.
    const sale = { agreementId: orderId, saleId: 'late', amountCents: 499, currency: 'USD', soldAt: now() }
    await sendCommand(world.deps, { type: 'ReportPackSale', ...sale, ...account })
    await settle()
    expect([...world.alerts.keys()]).toEqual(['refund_proposed late'])
    expect(world.ledger()).toEqual([])
  })

  it('that was not made here is not paid', async () => {
    const { orderId: foreign } = await world.provider.createOrder({ userId, ...SOLD })
    world.provider.approveOrder(foreign)
    expect(await applyWebhook(world.deps as WebhookDeps, { kind: 'order', orderId: foreign })).toBe('later')
    expect(world.provider.orders.get(foreign)?.sales).toEqual([])
  })

  it('that was paid with another amount raises an alert until it is refunded', async () => {
    world.provider.isMispriced = true
    world.provider.approveOrder(orderId)
    await settle()
    await settle()
    expect([...world.alerts.keys()]).toEqual([`refund_proposed S-${orderId}`])
    expect(world.ledger()).toEqual([])
  })
})

it('ignores an order of another system, and waits for one that is not recorded yet', async () => {
  const deps = world.deps as WebhookDeps
  expect(await applyWebhook(deps, { kind: 'order', orderId: 'UNKNOWN' })).toBe('ignored')
  const early = await world.provider.createOrder({ userId, ...SOLD })
  world.provider.approveOrder(early.orderId)
  expect(await applyWebhook(deps, { kind: 'order', orderId: early.orderId })).toBe('later')
})
