import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { PaymentProvider } from '#backend/subscriptions/paymentProvider.port.ts'
import { parseWebhook } from '../paypal/parseWebhook.ts'
import { createSandboxState, type SandboxState } from './sandboxState.ts'
import { isSigned, signWebhook } from './sandboxWebhooks.ts'

export interface Sandbox extends PaymentProvider {
  /** What a test or the approval page does in place of a buyer and of PayPal. */
  readonly state: SandboxState
  /** Bills what is due and sends webhooks to a server's address, until the signal. */
  run(address: string, signal: AbortSignal): Promise<void>
}

export interface SandboxOptions {
  readonly pool: pg.Pool
  /** The calendar's time: bills fall due when it is moved. */
  readonly now: () => number
  readonly secret: string
}

const LOOK_MS = 250

/** A payment provider for development: it bills nobody, and behaves like PayPal towards us. */
export function createSandbox({ pool, now, secret }: SandboxOptions): Sandbox {
  const state = createSandboxState(pool, now)

  /** In order; one that is not taken is sent again. */
  async function sendWebhooks(address: string, signal: AbortSignal): Promise<void> {
    for (const { id, body, made_at } of await state.undelivered()) {
      const bytes = Buffer.from(body)
      const headers = signWebhook(secret, id, made_at.toISOString(), bytes)
      const answer = await fetch(`${address}/webhooks/paypal`, { method: 'POST', headers, body: bytes, signal })
      await answer.body?.cancel()
      if (!answer.ok) return
      await state.delivered(id)
    }
  }

  return {
    name: 'sandbox',
    state,

    async createAgreement(agreement) {
      const agreementId = await state.open(agreement)
      return { agreementId, approvalUrl: new URL(`/dev/paypal/approve/${agreementId}`, agreement.returnUrl).href }
    },

    async getAgreement(agreementId) {
      const row = await state.find(agreementId)
      return (
        row && {
          id: row.id,
          status: row.status,
          statusAt: row.status_at.toISOString(),
          userId: row.user_id,
          nextBillingAt: row.next_billing_at?.toISOString() ?? null,
          trial: false,
          failedAt: row.failed_at?.toISOString() ?? null,
        }
      )
    },

    listSales: (agreementId, from, to) => state.sales(agreementId, from, to),
    pauseAgreement: async (agreementId) => void (await state.pause(agreementId)),
    resumeAgreement: async (agreementId) => void (await state.resume(agreementId)),
    cancelAgreement: async (agreementId) => void (await state.cancel(agreementId)),

    async verifyWebhook(headers, body) {
      return isSigned(secret, headers, body) ? parseWebhook(JSON.parse(body.toString())) : undefined
    },

    async run(address, signal) {
      while (!signal.aborted) {
        // What fails here is done in the next round: the server may not listen yet, or not any more.
        await state.billDue().catch(() => {})
        await sendWebhooks(address, signal).catch(() => {})
        await delay(LOOK_MS, undefined, { signal }).catch(() => {})
      }
    },
  }
}
