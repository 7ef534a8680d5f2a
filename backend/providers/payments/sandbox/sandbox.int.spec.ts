import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { paymentProviderContract, REDELIVERED } from '../testing/paymentProviderContract.ts'
import { createSandbox, signWebhook } from './sandbox.ts'

paymentProviderContract('the sandbox', async () => {
  const db = await startTemporaryDatabase()
  const secret = 'secret'
  let now = Date.UTC(2026, 0, 31, 12)
  const provider = createSandbox({ pool: db.pool, calendar: () => now, clock: () => now, secret })
  const { state } = provider
  return {
    provider,
    now: () => now,
    advance: (ms) => {
      now += ms
    },
    approve: async (id) => void (await state.approve(id)),
    bill: async (id) => void (await state.renew(id)),
    failPayment: async (id) => void (await state.failPayment(id)),
    refund: async (id) => void (await state.refunds.refund(id)),
    payOrder: (id) => state.orders.approve(id),
    refundOrder: (id) => state.refunds.refund(id),
    failRefund: ({ reversalId, saleId, amountCents }) => state.refunds.fail(reversalId, saleId, amountCents),
    ages: REDELIVERED,
    async webhooks() {
      const sent = await state.undelivered()
      for (const { id } of sent) await state.markDelivered(id)
      return sent.map(({ id, body, made_at }) => {
        const bytes = Buffer.from(body)
        return { headers: signWebhook(secret, id, made_at.toISOString(), bytes), body: bytes }
      })
    },
    close: db.close,
  }
})
