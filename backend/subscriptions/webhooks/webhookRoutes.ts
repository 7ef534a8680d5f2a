import Router from '@koa/router'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { readRawBody } from '../../kernel/http/readRawBody.ts'
import { PaymentProviderDown } from '../paymentProvider.port.ts'
import type { Tills } from '../tills.ts'
import type { WebhookInbox } from './webhookInbox.ts'

const MAX_BODY_BYTES = 256 * 1024

export type WebhookRoutes = Readonly<{
  payments: Pick<Tills, 'webhooks'>
  inbox: WebhookInbox
  onInvalidSignature: () => void
}>

/** Creates the routes that verify and store the payment providers' webhooks. A workflow processes them later. */
export function webhookRoutes({ payments, inbox, onInvalidSignature }: WebhookRoutes): Router {
  const router = new Router()
  for (const { address, acknowledgement = {}, verify } of payments.webhooks)
    router.post(`/webhooks/${address}`, async (ctx) => {
      const body = await readRawBody(ctx, MAX_BODY_BYTES)
      const webhook = await verify(ctx.headers as Record<string, string>, body).catch((error) => {
        if (!(error instanceof PaymentProviderDown)) throw error
        // The provider redelivers webhooks that are not acknowledged.
        throw new Rejection('unavailable', 'The signature cannot be verified at the moment.', { retryAfter: 60 })
      })
      if (!webhook || !(await inbox.admit(webhook.transmissionId, body))) {
        onInvalidSignature()
        throw new Rejection('unauthenticated', 'The webhook signature is invalid or too old.')
      }
      await inbox.add(webhook)
      ctx.set('Cache-Control', 'no-store')
      ctx.body = acknowledgement
    })
  return router
}
