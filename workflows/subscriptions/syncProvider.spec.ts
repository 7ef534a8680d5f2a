import { beforeEach, describe, expect, it } from 'vitest'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import {
  activated,
  at,
  cancelled,
  ended,
  on,
  paid,
  reactivated,
  refundProposed,
  reported,
  requested,
  running,
  suspended,
  unusedRefund,
  userId,
} from '#backend/subscriptions/testing/subscriptionFacts.ts'
import { createTills } from '#backend/subscriptions/tills.ts'
import { SettleWorld } from '../testing/settleWorld.ts'
import { sendCommand } from './sendCommand.ts'

const asked = (type: 'SubscriptionPaused' | 'SubscriptionResumed') => reported(type, null)

let world: SettleWorld
beforeEach(() => {
  world = new SettleWorld()
})

describe('a cancelled plan', () => {
  it.each([
    ['is paused although the credit account is broken', new StreamBroken('a hash differs'), ['pause A']],
    ['waits while the log of the credits is away', new Error('the log is unreachable'), []],
  ])('%s', async (_, error, changes) => {
    Object.assign(world.deps.credits, { grantSale: () => Promise.reject(error) })
    world.provider.knows('active')
    await world.given(...running, cancelled())
    await expect(world.settle()).rejects.toBe(error)
    expect(world.changes()).toEqual(changes)
  })

  it.each([
    ['the operator', unusedRefund('s1')],
    ['Kinora', refundProposed('s1')],
  ])('that ended is not billed on beside a broken credit account, if %s is to refund its sale', async (_, proposed) => {
    const broken = new StreamBroken('a hash differs')
    const reject = () => Promise.reject(broken)
    Object.assign(world.deps.credits, { grantSale: reject, unusedOf: reject, voidSale: reject })
    world.provider.knows('active')
    await world.given(...running, ended('A', 'cancelled'), proposed)
    await expect(world.settle()).rejects.toBe(broken)
    expect(world.changes()).toEqual(['cancel A'])
  })
})

describe('an agreement that has ended', () => {
  const closed = { type: 'SubscriptionClosed', data: { userId, agreementId: 'A', at } }

  it.for(['active', 'suspended'] as const)('is cancelled at the provider while it is %s there', async (status) => {
    world.provider.knows(status)
    await world.given(...running, ended('A', 'period_end'))
    expect(await world.settled()).toEqual([closed])
    expect(world.changes()).toEqual(['cancel A'])
  })

  it('keeps no other agreement from being paused if the provider refuses to show it, and is tried again', async () => {
    const { getAgreement } = world.provider
    world.provider.getAgreement = async (id) => {
      if (id === 'foreign') throw new Error('PayPal refused GET: HTTP 403')
      return getAgreement.call(world.provider, id)
    }
    world.provider.knows('active')
    await world.given(requested('foreign'), ended('foreign', 'withdrawn'), ...running, cancelled())
    await expect(world.settle()).rejects.toMatchObject({ message: 'PayPal refused GET: HTTP 403' })
    expect(world.changes()).toEqual(['pause A'])
  })

  it('stops at an outage of the provider', async () => {
    world.provider.knows('active')
    world.provider.down = true
    await world.given(requested('B'), ended('B', 'withdrawn'), ...running, cancelled())
    await expect(world.settle()).rejects.toThrow('down')
    expect(world.provider.calls).toEqual(['get B'])
  })

  it('is cancelled at the provider when the buyer approves it after it was withdrawn', async () => {
    world.provider.knows('active')
    await world.given(requested(), ended('A', 'withdrawn'))
    expect(await world.settled()).toEqual([closed])
    expect(world.changes()).toEqual(['cancel A'])
  })

  it('starts, and is not cancelled, when the buyer approves it after its time to be approved', async () => {
    world.provider.knows('active')
    await world.given(requested(), ended('A', 'not_approved'))
    expect(await world.settled()).toMatchObject([{ type: 'SubscriptionActivated' }])
    expect(world.changes()).toEqual([])
  })

  it('grants a sale whose webhook was lost before it is closed, because nothing asks for the sale later', async () => {
    world.provider.knows('active')
    const sale = { id: 's1', agreementId: 'A', amountCents: 4499, currency: 'USD', soldAt: on('01-05') }
    world.provider.accounts.get('A')!.sales.push(sale)
    await world.given(requested(), ended('A', 'withdrawn'))
    const types = (await world.settled()).map((event) => (event as SubscriptionEvent).type)
    expect(types).toEqual(['SubscriptionPaid', 'SubscriptionRefundProposed', 'SubscriptionClosed'])
    await world.settle()
    expect(world.ledger()[0]).toMatchObject({ type: 'CreditLotGranted', data: { lotId: 'sale-s1', source: 'payment' } })
  })

  it('reports a refund whose webhook was lost before it is closed, because nothing asks for the refund later', async () => {
    world.provider.knows('active')
    const sale = { id: 's1', agreementId: 'A', amountCents: 4499, currency: 'USD', soldAt: on('01-05') }
    world.provider.accounts.get('A')!.sales.push(sale)
    world.provider.refund('A', 100)
    await world.given(...running, ended('A', 'period_end'))
    const types = (await world.settled()).map((event) => (event as SubscriptionEvent).type)
    expect(types).toEqual(['SubscriptionSaleReversed', 'SubscriptionClosed'])
  })

  it.for(['cancelled', 'expired'] as const)('is closed when it is already %s at the provider', async (status) => {
    world.provider.knows(status)
    await world.given(...running, ended('A', 'period_end'))
    expect(await world.settled()).toEqual([closed])
    expect(world.changes()).toEqual([])
  })

  it('is closed when the provider has deleted it, because the buyer never approved it', async () => {
    await world.given(requested(), ended('A', 'not_approved'))
    expect(await world.settled()).toEqual([closed])
    expect(world.changes()).toEqual([])
  })

  it.for([
    ['was approved', [activated()]],
    ['was paid', [activated('A', { statusAt: null }), paid('s1')]],
  ] as const)('stays open if it %s, although the provider does not know it any more', async ([, events]) => {
    await world.given(requested(), ...events, ended('A', 'period_end'))
    expect(await world.settled()).toEqual([])
  })

  it('stays open for three days although the provider does not know it yet, and while payments are off', async () => {
    await world.given(requested(), ended('A', 'withdrawn'))
    world.now = Date.parse(on('01-04'))
    expect(await world.settled()).toEqual([])
    world.now++
    const { payments } = world.deps
    Object.assign(world.deps, { payments: createTills([]) })
    expect(await world.settled()).toEqual([])
    Object.assign(world.deps, { payments })
    expect(await world.settled()).toMatchObject([{ type: 'SubscriptionClosed' }])
  })

  it('is not cancelled at the provider before the buyer has approved it', async () => {
    world.provider.knows('pending')
    await world.given(requested(), ended('A', 'not_approved'))
    expect(await world.settled()).toEqual([])
    expect(world.provider.calls).toEqual(['get A'])
  })

  it('stays open when the provider does not know it', async () => {
    await world.given(...running, ended('A', 'period_end'))
    expect(await world.settled()).toEqual([])
    expect(world.changes()).toEqual([])
  })

  it.for([
    ['', []],
    [', even if it was cancelled before', [cancelled()]],
    [', even if it was paused before', [asked('SubscriptionPaused')]],
  ] as const)('is not looked up once it has also ended at the provider%s', async ([, before]) => {
    world.provider.knows('active')
    await world.given(...running, ...before, ended('A', 'expired'))
    expect(await world.settled()).toEqual([])
    expect(world.provider.calls).toEqual([])
  })
})

describe('an agreement that the user has cancelled', () => {
  it('is paused at the provider after the intent is recorded', async () => {
    world.provider.knows('active', on('01-02'))
    await world.given(...running, cancelled())
    const { pauseAgreement } = world.provider
    world.provider.pauseAgreement = async (id) => {
      expect(world.store.log.at(-1)).toMatchObject({ type: 'SubscriptionPaused', data: { statusAt: null } })
      await pauseAgreement.call(world.provider, id)
    }
    expect(await world.settled()).toEqual([asked('SubscriptionPaused'), reported('SubscriptionPaused', at)])
    expect(world.changes()).toEqual(['pause A'])
  })

  it('stores both pauses with ids of their own, linked to the request of the agreement', async () => {
    world.provider.knows('active', on('01-02'))
    await world.given(...running, cancelled())
    await world.settle()
    const pauses = world.store.log.filter(({ type }) => type === 'SubscriptionPaused')
    expect(new Set(pauses.map(({ id }) => id)).size).toBe(2)
    expect(pauses.map(({ meta }) => meta.correlationId)).toEqual(['request A', 'request A'])
  })

  it('is not paused again when the provider has suspended it already', async () => {
    world.provider.knows('suspended', on('01-05'))
    await world.given(...running, cancelled(), asked('SubscriptionPaused'))
    expect(await world.settled()).toEqual([reported('SubscriptionPaused', on('01-05'))])
    expect(world.changes()).toEqual([])
  })

  it('waits for its pause while the provider does not know it', async () => {
    await world.given(...running, cancelled())
    expect(await world.settled()).toEqual([asked('SubscriptionPaused')])
    expect(world.changes()).toEqual([])
  })

  it('is left alone once its pause is confirmed', async () => {
    world.provider.knows('active')
    await world.given(...running, cancelled(), reported('SubscriptionPaused', on('01-05')))
    expect(await world.settled()).toEqual([])
    expect(world.provider.calls).toEqual([])
  })

  it('is left alone when it is cancelled at the provider for good', async () => {
    world.provider.knows('active')
    await world.given(...running, cancelled(true))
    expect(await world.settled()).toEqual([])
    expect(world.provider.calls).toEqual([])
  })
})

describe('an agreement that the user has reactivated', () => {
  const paused = [...running, cancelled(), reported('SubscriptionPaused', on('01-05')), reactivated]

  it('is resumed at the provider', async () => {
    world.provider.knows('suspended')
    await world.given(...paused)
    expect(await world.settled()).toEqual([reported('SubscriptionResumed', at)])
    expect(world.changes()).toEqual(['resume A'])
  })

  it('is resumed at the provider even if its pause was not confirmed', async () => {
    world.provider.knows('suspended')
    await world.given(...running, cancelled(), asked('SubscriptionPaused'), reactivated)
    await world.settle()
    expect(world.changes()).toEqual(['resume A'])
  })

  it('is not resumed again when the provider has resumed it already', async () => {
    world.provider.knows('active', on('01-08'))
    await world.given(...paused)
    expect(await world.settled()).toEqual([reported('SubscriptionResumed', on('01-08'))])
    expect(world.changes()).toEqual([])
  })

  it('is cancelled for good when the provider has cancelled it', async () => {
    world.provider.knows('cancelled', on('01-08'))
    await world.given(...paused)
    expect(await world.settled()).toEqual([cancelled(true)])
    expect(world.changes()).toEqual([])
  })

  it('stays paused while the provider does not know it', async () => {
    await world.given(...paused)
    expect(await world.settled()).toEqual([])
    expect(world.changes()).toEqual([])
  })
})

describe('an agreement that the user reactivates while it is settled', () => {
  const reactivate = () =>
    sendCommand(world.deps, { type: 'ReactivateSubscription', userId, at }).then(({ agreements }) => agreements)

  it('is not paused', async () => {
    world.provider.knows('active', on('01-02'))
    await world.given(...running, cancelled())
    Object.assign(world.deps.credits, { forfeitSales: reactivate })
    await world.settle()
    expect(world.changes()).toEqual([])
  })

  it('is resumed if it was just paused, although another settlement has found nothing to resume', async () => {
    world.provider.knows('active', on('01-02'))
    await world.given(...running, cancelled())
    const { pauseAgreement } = world.provider
    world.provider.pauseAgreement = async (id) => {
      await reactivate()
      await world.settle()
      await pauseAgreement.call(world.provider, id)
    }
    await world.settle()
    expect(world.changes()).toEqual(['pause A', 'resume A'])
    expect(await reactivate()).toMatchObject([{ status: 'active', cancelled: 'no' }])
  })
})

describe('an agreement that needs no change', () => {
  it.for([
    ['running', running],
    ['not approved', [requested()]],
    ['scheduled', [requested('A', 'pro', on('03-01')), { type: 'SubscriptionScheduled' }]],
    ['suspended by the provider', [...running, suspended('provider', at, on('01-05'))]],
  ] as const)('is not looked up at the provider while it is %s', async ([, events]) => {
    world.now = Date.parse(on('01-02'))
    world.provider.knows('active')
    const data = { userId, agreementId: 'A', at, tier: 'pro', startsAt: on('03-01'), statusAt: on('01-05') }
    await world.given(...events.map((event) => ({ data, ...event }) as SubscriptionEvent))
    await world.settle()
    expect(world.provider.calls).toEqual([])
  })

  it('does not keep the next agreement from being settled', async () => {
    world.provider.knows('active', on('01-02'), 'B')
    await world.given(...running, ended('A', 'replaced', 'B'), requested('B'), activated('B'), ended('B', 'cancelled'))
    await world.settle()
    expect(world.changes()).toEqual(['cancel B'])
  })
})
