import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paypalOf } from '#workflows/testing/paypalProcess.ts'
import { type PaypalDouble, startPaypalDouble } from './testing/paypalDouble.ts'

let double: PaypalDouble
beforeAll(async () => {
  double = await startPaypalDouble()
})
afterAll(() => double.close())
const adapter = () => paypalOf(double)

describe('a question about a dispute', () => {
  const RESOLVED = { status: 'RESOLVED', update_time: '2026-03-20T10:00:00Z' }
  const outcome = (outcome_code: string) => ({ ...RESOLVED, dispute_outcome: { outcome_code } })
  it.each([
    [{}, 'open'],
    [outcome('RESOLVED_SELLER_FAVOUR'), 'won'],
    [outcome('CANCELED_BY_BUYER'), 'won'],
    [outcome('RESOLVED_BUYER_FAVOUR'), 'lost'],
    [outcome('RESOLVED_WITH_PAYOUT'), 'open'],
    [{ ...outcome('DENIED'), status: 'UNDER_REVIEW' }, 'open'],
  ])('with the answer %j has the outcome %s', async (answer, expected) => {
    const wire = { create_time: '2026-03-02T10:00:00Z', disputed_transactions: [{ seller_transaction_id: 'S1' }, {}] }
    double.model.objects.set('/v1/customer/disputes/PP-D-1', { ...wire, ...answer })
    const statusAt = 'update_time' in answer ? '2026-03-20T10:00:00.000Z' : '2026-03-02T10:00:00.000Z'
    expect(await adapter().getDispute('PP-D-1')).toEqual({ saleIds: ['S1'], outcome: expected, statusAt })
  })

  it('that PayPal refuses to this app has no answer', async () => {
    double.fault = (call) => (call === 'GET /v1/customer/disputes/PP-D-1' ? { status: 403 } : undefined)
    expect(await adapter().getDispute('PP-D-1')).toBe(undefined)
  })
})

describe('a question about a reversal', () => {
  const ask = (path: string, wire: object, reversalId: string) => {
    double.model.objects.set(path, wire)
    return adapter().getReversal({ saleId: 'S1', reversalId, reversal: 'refund' })
  }
  const amount = { total: '-5.00', currency: 'USD' }
  const refund = { id: 'R1', sale_id: 'S1', state: 'completed', amount }

  it('is answered once the refund is completed, with the amount and sale that PayPal names', async () => {
    expect(await ask('/v1/payments/refund/R1', { ...refund, state: 'pending' }, 'R1')).toBe(undefined)
    expect(await ask('/v1/payments/refund/R1', { ...refund, amount: { ...amount, total: '5.001' } }, 'R1')).toBe(
      undefined,
    )
    const answer = { saleId: 'S2', reversalId: 'R1', reversal: 'refund', amountCents: 500 }
    expect(await ask('/v1/payments/refund/R1', { ...refund, sale_id: 'S2' }, 'R1')).toEqual(answer)
  })

  it.each([
    ['completed', undefined],
    ['partially_refunded', undefined],
    ['reversed', 4499],
    ['refunded', 4499],
  ])('about a chargeback is answered by a sale that is %s with %s cents', async (state, amountCents) => {
    const sale = { id: 'S1', state, amount: { total: '44.99', currency: 'USD' } }
    expect((await ask('/v1/payments/sale/S1', sale, 'S1 reversed'))?.amountCents).toBe(amountCents)
  })
})
