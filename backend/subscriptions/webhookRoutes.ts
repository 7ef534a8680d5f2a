import Router from '@koa/router'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { readRawBody } from '../kernel/http/readRawBody.ts'
import { type PaymentProvider, PaymentProviderDown } from './paymentProvider.port.ts'
import type { WebhookInbox } from './webhookInbox.ts'

const LONGEST_BODY = 256 * 1024

export interface WebhookRoutes {
  readonly payments: PaymentProvider
  readonly inbox: WebhookInbox
  /** Counts what somebody else has sent in the provider's name. */
  readonly onForged: () => void
}

/** What the payment provider tells us: checked, kept, answered; read later by a workflow. Told twice, it is kept once. */
export function webhookRoutes({ payments, inbox, onForged }: WebhookRoutes): Router {
  return new Router().post('/webhooks/paypal', async (ctx) => {
    const body = await readRawBody(ctx, LONGEST_BODY)
    const notice = await payments.verifyWebhook(ctx.headers as Record<string, string>, body).catch((error) => {
      if (!(error instanceof PaymentProviderDown)) throw error
      // It cannot be checked now; the provider sends it again.
      throw new Rejection('unavailable', 'The signature cannot be checked at the moment.', { retryAfter: 60 })
    })
    if (!notice) {
      onForged()
      throw new Rejection('unauthenticated', 'This was not signed by the payment provider.')
    }
    await inbox.add(notice)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = {}
  })
}
