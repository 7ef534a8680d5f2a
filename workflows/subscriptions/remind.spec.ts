import { describe, expect, it } from 'vitest'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { type Reminder, remind } from './remind.ts'
import { contextOf } from './sendCommand.ts'

const userId = 'user'
const on = (date: string) => `2026-${date}T00:00:00.000Z`
const DAY = 24 * 3_600_000
const price = { amountCents: 4499, priceCents: 4499, currency: 'USD', credits: 4500 }

/** Runs `remind` so many milliseconds after the start of a day, for a plan that is paid until 1 February. */
async function reminded(day: string, { afterMs = 0, more = [] as object[] } = {}) {
  const handle = createHandle(createMemoryEventStore())
  const commands = [
    { type: 'RequestSubscription', agreementId: 'A', tier: 'pro', ...price, startsAt: null },
    { type: 'ReportSale', agreementId: 'A', saleId: 's', ...price, soldAt: on('01-01'), periodEnd: on('02-01') },
    ...more,
  ].map((command) => ({ userId, at: on('01-01'), ...command }) as SubscriptionCommand)
  for (const command of commands) await handle(subscription, userId, command, contextOf(command))
  const mails: [string, Reminder][] = []
  const mailOnce = async (_: string, key: string, reminder: Reminder) => void mails.push([key, reminder])
  return { next: await remind({ handle, calendar: () => Date.parse(on(day)) + afterMs, mailOnce }, userId), mails }
}

describe('remind', () => {
  it('announces a renewal three days ahead, not earlier', async () => {
    expect(await reminded('01-20')).toEqual({ next: 9 * DAY, mails: [] })
    const renewal: [string, Reminder] = [`renewal A ${on('02-01')}`, { kind: 'renewalAhead', date: on('02-01') }]
    expect(await reminded('01-29')).toEqual({ next: null, mails: [renewal] })
  })
  it('announces a renewal from exactly three days ahead until the period ends', async () => {
    expect(await reminded('01-29', { afterMs: -1 })).toEqual({ next: 1, mails: [] })
    expect((await reminded('02-01', { afterMs: -1 })).mails.length).toBe(1)
    expect(await reminded('02-01')).toEqual({ next: null, mails: [] })
  })
  it('announces no renewal of a cancelled plan', async () => {
    const cancel = { type: 'CancelSubscription', encryptedReason: null, atPeriodEnd: true }
    expect(await reminded('01-30', { more: [cancel] })).toEqual({ next: null, mails: [] })
  })
  it('reports a failed payment with the end of the grace period', async () => {
    const fail = { type: 'ReportPaymentFailed', agreementId: 'A', failedAt: on('02-01'), graceUntil: on('02-08') }
    expect(await reminded('02-01', { more: [fail] })).toEqual({
      next: null,
      mails: [[`failed A ${on('02-01')}`, { kind: 'paymentFailed', date: on('02-08') }]],
    })
  })
  it('announces no renewal while a payment has failed', async () => {
    const fail = { type: 'ReportPaymentFailed', agreementId: 'A', failedAt: on('01-30'), graceUntil: on('02-06') }
    expect((await reminded('01-30', { more: [fail] })).mails).toEqual([
      [expect.any(String), { kind: 'paymentFailed', date: on('02-06') }],
    ])
  })
  it('reports the refund of a withdrawn payment as such', async () => {
    const at = on('01-05')
    const withdraw = { type: 'WithdrawSale', saleId: 's', usedCredits: 0, at }
    const refund = { type: 'ReportReversal', saleId: 's', reversalId: 'r', amountCents: 4499, kind: 'refund', at }
    const { mails } = await reminded('01-06', { more: [withdraw, refund] })
    expect(mails).toMatchObject([
      ['refunded s', { kind: 'withdrawalRefunded', amount: 'USD 44.99' }],
      ['withdrawn s', { kind: 'withdrawn', used: '0', refund: 'USD 44.99' }],
    ])
  })
})
