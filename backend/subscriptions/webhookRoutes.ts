import Router from '@koa/router'
import { Rejection } from '../eventsourcing/decider.ts'
import { rawBody } from '../http/rawBody.ts'
import type { NoticeInbox } from './noticeInbox.ts'
import type { PaymentProvider } from './paymentProvider.ts'

const LONGEST_BODY = 256 * 1024

export interface WebhookRoutes {
  readonly payments: PaymentProvider
  readonly inbox: NoticeInbox
  /** Counts what somebody else has sent in the provider's name. */
  readonly onForged: () => void
}

/** What the payment provider tells us: checked, kept, answered; read later by a workflow. Told twice, it is kept once. */
export function webhookRoutes({ payments, inbox, onForged }: WebhookRoutes): Router {
  return new Router().post('/webhooks/paypal', async (ctx) => {
    const notice = await payments.readWebhook(ctx.headers as Record<string, string>, await rawBody(ctx, LONGEST_BODY))
    if (!notice) {
      onForged()
      throw new Rejection('unauthenticated', 'This was not signed by the payment provider.')
    }
    await inbox.put(notice)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = {}
  })
}
