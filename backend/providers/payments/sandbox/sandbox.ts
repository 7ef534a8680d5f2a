import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type pg from 'pg'
import type { Calendar, Clock } from '#backend/kernel/time.ts'
import type {
  PaymentProvider,
  ProviderAgreement,
  ProviderReversal,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { must } from '../../../kernel/must.ts'
import { isTimely } from '../isTimely.ts'
import { smallestUnits } from '../paypal/amounts.ts'
import { parseWebhook } from '../paypal/parseWebhook.ts'
import { createSandboxState, type SandboxState } from './sandboxState.ts'

export interface Sandbox extends PaymentProvider {
  /** Actions of the buyer and of PayPal, for tests and the approval page. */
  readonly state: SandboxState
  /** Bills due agreements and delivers webhooks to a server until the signal aborts. */
  run(address: string, signal: AbortSignal): Promise<void>
}

const POLL_MS = 250

/** `clock` is the time of transmissions; `calendar` that of the business, which can be moved. */
type SandboxOptions = Readonly<{ pool: pg.Pool; calendar: Calendar; clock: Clock; secret: string }>

/** Creates a payment provider for development, which behaves like PayPal but moves no money. */
export function createSandbox({ pool, calendar, clock, secret }: SandboxOptions): Sandbox {
  const state = createSandboxState(pool, calendar)

  /** Delivers webhooks in order. Stops at the first failure, which the next poll retries. */
  async function sendWebhooks(address: string, signal: AbortSignal): Promise<void> {
    for (const { id, body } of await state.undelivered()) {
      const bytes = Buffer.from(body)
      const headers = signWebhook(secret, id, new Date(clock()).toISOString(), bytes)
      const answer = await fetch(`${address}/webhooks/paypal`, { method: 'POST', headers, body: bytes, signal })
      await answer.body?.cancel()
      if (!answer.ok) return
      await state.markDelivered(id)
    }
  }

  return {
    name: 'sandbox',
    currencies: ['USD'],
    state,

    async createAgreement(agreement) {
      const agreementId = await state.create(agreement)
      return { agreementId, approvalUrl: new URL(`/dev/paypal/approve/${agreementId}`, agreement.returnUrl).href }
    },

    ...orderCalls(state),

    async getAgreement(agreementId) {
      const row = await state.find(agreementId)
      return row && agreementOf(row)
    },

    listSales: state.sales,

    ...reversalCalls(state),

    pauseAgreement: state.pause,
    resumeAgreement: state.resume,
    cancelAgreement: state.cancel,

    async verifyWebhook(headers, body) {
      const { 'paypal-transmission-id': transmissionId = '', 'paypal-transmission-time': time = '' } = headers
      const isOwn = isSigned(secret, headers, body) && isTimely(time, clock())
      return isOwn ? { ...parseWebhook(JSON.parse(body.toString())), transmissionId } : undefined
    },

    async run(address, signal) {
      while (!signal.aborted) {
        // Ignore failures, because the server may not be listening yet. The next poll retries.
        await state.billDue().catch(() => {})
        await sendWebhooks(address, signal).catch(() => {})
        await delay(POLL_MS, undefined, { signal }).catch(() => {})
      }
    },
  }
}

const reversalCalls = (
  state: SandboxState,
): Pick<PaymentProvider, 'listReversals' | 'getReversal' | 'getDispute' | 'refund'> => ({
  async listReversals(from, to) {
    return (await state.refunds.list(from, to)).map(reversalOf)
  },

  async getReversal({ reversalId }) {
    const body = await state.refunds.find(reversalId)
    return body === undefined ? undefined : reversalOf(body)
  },

  // The sandbox has no disputes.
  getDispute: async () => undefined,

  async refund({ saleId, refundId, amountCents }) {
    const id = `R-${refundId}`
    await state.refunds.refundSale(saleId, id, amountCents)
    const body = await state.refunds.find(id)
    if (body === undefined) throw new Error(`The sandbox cannot refund ${amountCents} of sale ${saleId}`)
    return reversalOf(body)
  },
})

const orderCalls = ({
  orders,
}: SandboxState): Pick<PaymentProvider, 'createOrder' | 'collectOrder' | 'closeOrder'> => ({
  async createOrder(order) {
    const orderId = await orders.create(order)
    return { orderId, paymentUrl: new URL(`/dev/paypal/approve/${orderId}`, order.returnUrl).href }
  },
  collectOrder: orders.collect,
  closeOrder: orders.decline,
})

function agreementOf(row: NonNullable<Awaited<ReturnType<SandboxState['find']>>>): ProviderAgreement {
  const nextBillingAt = row.next_billing_at?.toISOString() ?? null
  const failedAt = row.failed_at?.toISOString() ?? null
  const { id, status, status_at, user_id: userId } = row
  return { id, status, statusAt: status_at.toISOString(), userId, nextBillingAt, trial: false, failedAt }
}

/** Reads a refund from the webhook that the sandbox sent about it. */
function reversalOf(text: string): ProviderReversal {
  const body = JSON.parse(text)
  const { subject } = parseWebhook(body)
  if (subject.kind !== 'reversal') throw new Error('This webhook of the sandbox is about no refund.')
  const { total, currency, value = total, currency_code = currency } = body.resource.amount
  const { saleId, reversalId, reversal } = subject
  const amountCents = must(smallestUnits(value, currency_code), 'an amount')
  return { saleId, reversalId, reversal, amountCents, ...(body.resource.status === 'FAILED' && { failed: true }) }
}

/** Signs the same fields as PayPal: id, time, recipient and checksum of the body. */
const signatureOf = (secret: string, id: string, time: string, body: Buffer): Buffer =>
  createHmac('sha256', secret)
    .update(`${id}|${time}|sandbox|${crc32(body)}`)
    .digest()

/** Returns webhook headers with PayPal's names and a signature made with this installation's secret. */
export const signWebhook = (secret: string, id: string, time: string, body: Buffer): Record<string, string> => ({
  'content-type': 'application/json',
  'paypal-transmission-id': id,
  'paypal-transmission-time': time,
  'paypal-transmission-sig': signatureOf(secret, id, time, body).toString('base64'),
  'paypal-auth-algo': 'HMAC-SHA256',
})

function isSigned(secret: string, headers: Readonly<Record<string, string | undefined>>, body: Buffer): boolean {
  const { 'paypal-transmission-id': id = '', 'paypal-transmission-time': time = '' } = headers
  const actual = Buffer.from(headers['paypal-transmission-sig'] ?? '', 'base64')
  const expected = signatureOf(secret, id, time, body)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
