import { describe, expect, it } from 'vitest'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import { parseWebhook } from './parseWebhook.ts'

const event = (event_type: string, resource: unknown) => ({
  id: 'WH-1',
  event_version: '1.0',
  create_time: '2026-03-01T10:00:05Z',
  resource_type: 'any',
  event_type,
  resource,
})
const SALE = {
  id: '80021663DE681814L',
  billing_agreement_id: 'I-1',
  amount: { total: '12.99', currency: 'USD', details: { subtotal: '12.99' } },
  create_time: '2026-03-01T10:00:00Z',
  state: 'completed',
}
const REFUND = { id: 'R1', sale_id: SALE.id, amount: { total: '-5.00', currency: 'USD' }, state: 'completed' }
const AGREEMENT = { id: 'I-1', status: 'ACTIVE', status_update_time: '2026-03-01T10:00:01Z' }
const FAILED = { ...AGREEMENT, billing_info: { last_failed_payment: { time: '2026-03-01T02:00:00-08:00' } } }

const DISPUTE = {
  dispute_id: 'PP-D-1',
  status: 'OPEN',
  create_time: '2026-03-02T10:00:00Z',
  disputed_transactions: [{ seller_transaction_id: SALE.id, seller: { merchant_id: 'M' } }],
}
const resolved = (outcome_code: string) => ({
  ...DISPUTE,
  status: 'RESOLVED',
  update_time: '2026-03-20T10:00:00Z',
  dispute_outcome: { outcome_code },
})
const DISPUTED = { kind: 'dispute', disputeId: 'PP-D-1' }

describe('parseWebhook', () => {
  it.each([
    [
      'PAYMENT.SALE.COMPLETED',
      SALE,
      {
        kind: 'sale',
        sale: { id: SALE.id, agreementId: 'I-1' },
      },
    ],
    ['PAYMENT.SALE.COMPLETED', { ...SALE, billing_agreement_id: undefined }, { kind: 'other' }],
    ['PAYMENT.SALE.REFUNDED', REFUND, { kind: 'reversal', saleId: SALE.id, reversalId: 'R1', reversal: 'refund' }],
    [
      'PAYMENT.SALE.REVERSED',
      { ...SALE, amount: { total: '-12.99', currency: 'USD' } },
      {
        kind: 'reversal',
        saleId: SALE.id,
        reversalId: `${SALE.id} reversed`,
        reversal: 'reversal',
      },
    ],
    ['PAYMENT.SALE.REVERSED', REFUND, { kind: 'reversal', saleId: SALE.id, reversalId: 'R1', reversal: 'reversal' }],
    ['BILLING.SUBSCRIPTION.ACTIVATED', AGREEMENT, { kind: 'agreement', agreementId: 'I-1' }],
    ['BILLING.SUBSCRIPTION.RE-ACTIVATED', AGREEMENT, { kind: 'agreement', agreementId: 'I-1' }],
    ['BILLING.SUBSCRIPTION.PAYMENT.FAILED', FAILED, { kind: 'payment_failed', agreementId: 'I-1' }],
    ['BILLING.SUBSCRIPTION.PAYMENT.FAILED', AGREEMENT, { kind: 'payment_failed', agreementId: 'I-1' }],
    ['BILLING.PLAN.CREATED', { id: 'P-1' }, { kind: 'other' }],
    ['PAYMENT.SALE.PENDING', SALE, { kind: 'other' }],
    ['CUSTOMER.DISPUTE.CREATED', DISPUTE, DISPUTED],
    ['CUSTOMER.DISPUTE.RESOLVED', resolved('RESOLVED_SELLER_FAVOUR'), DISPUTED],
  ])('parses %s', (type, resource, subject) => {
    expect(parseWebhook(event(type, resource))).toMatchObject({ id: 'WH-1', type, subject })
  })

  it.each([['-12.99'], ['0.00'], ['1.999'], ['9'.repeat(40)], [12.99], [null]])(
    'ignores the amount %j of a sale',
    (total) => {
      const { subject } = parseWebhook(
        event('PAYMENT.SALE.COMPLETED', { ...SALE, amount: { total, currency: 'dollars' } }),
      )
      expect(subject).toEqual({ kind: 'sale', sale: { id: SALE.id, agreementId: 'I-1' } })
    },
  )

  it('gives events about the same object and state the same objectId', () => {
    const objectOf = (type: string, resource: object) => parseWebhook({ ...event(type, resource), id: 'WH-2' }).objectId
    const type = 'BILLING.SUBSCRIPTION.UPDATED'
    const first = parseWebhook(event(type, AGREEMENT)).objectId
    expect(objectOf(type, AGREEMENT)).toBe(first)
    expect(objectOf(type, { ...AGREEMENT, status: 'SUSPENDED' })).not.toBe(first)
    expect(objectOf(type, { ...AGREEMENT, update_time: '2026-03-02T10:00:00Z' })).not.toBe(first)
    expect(objectOf('PAYMENT.SALE.REFUNDED', { ...REFUND, id: 'R2' })).not.toBe(
      objectOf('PAYMENT.SALE.REFUNDED', REFUND),
    )
  })

  it.each([
    null,
    'text',
    [],
    {},
    { ...event('PAYMENT.SALE.COMPLETED', SALE), id: 7 },
    { ...event('PAYMENT.SALE.COMPLETED', SALE), create_time: 'yesterday' },
    event('PAYMENT.SALE.COMPLETED', null),
    event('PAYMENT.SALE.REFUNDED', { ...REFUND, sale_id: undefined }),
    event('CUSTOMER.DISPUTE.RESOLVED', null),
    event('BILLING.SUBSCRIPTION.ACTIVATED', { ...AGREEMENT, status: 'ODD' }),
    event('BILLING.SUBSCRIPTION.ACTIVATED', { id: 'I'.repeat(200) }),
  ])('rejects a malformed event: %j', (unreadable) => {
    expect(() => parseWebhook(unreadable)).toThrow(ValidationError)
  })
})
