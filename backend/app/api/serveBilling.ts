import type { Serve } from '../../kernel/http/endpoint.ts'
import type { PageSettings } from '../../kernel/http/site/finishPage.ts'
import { SANDBOX_PLANS } from '../../providers/payments/sandbox/sandboxState.ts'
import { serveSubscriptions } from '../../subscriptions/routes.ts'
import { createSubscriptions } from '../../subscriptions/subscriptions.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'

/** Serves plans, purchases and balances. */
export function serveBilling(
  serve: Serve,
  { config, changes, handle, calendar }: Context,
  { payments }: Adapters,
  { credits, subscriptionReads, userKeys, webhooks }: Services,
  settings: () => PageSettings,
): void {
  const { encrypt } = userKeys
  const subscriptions = createSubscriptions({
    changes,
    handle,
    payments,
    inbox: webhooks,
    credits,
    encrypt,
    publicUrl: () => settings().publicUrl,
    calendar,
  })
  const { mode, paypal } = config.payments
  const hasPlans = mode !== 'off'
  const paypalPlans = mode === 'sandbox' ? SANDBOX_PLANS : paypal?.plans
  const facts = () => settings().facts
  serveSubscriptions(serve, { reads: subscriptionReads, subscriptions, hasPlans, paypalPlans, facts })
}
