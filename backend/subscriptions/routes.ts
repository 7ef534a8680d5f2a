import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { idempotencyKeyOf } from '../kernel/http/idempotency.ts'
import type { Facts } from '../kernel/http/site/forInstallation.ts'
import { must } from '../kernel/must.ts'
import { createRateLimit } from '../kernel/sharedRateLimit.ts'
import * as contract from './contract.ts'
import { createPacks } from './packs.ts'
import { planConfiguration } from './planConfiguration.ts'
import type { SubscriptionReads } from './subscriptionReads.ts'
import { createSubscriptions, type SubscriptionsDeps } from './subscriptions.ts'

/** Calls of a user that ask the payment provider, which limits those of the installation. Counted in each process. */
const PROVIDER_CALLS_PER_MINUTE = 30

export interface SubscriptionRoutes extends SubscriptionsDeps {
  readonly reads: SubscriptionReads
  /** Whether this installation has plans. */
  readonly hasPlans: boolean
  /** PayPal's plan id for each tier that PayPal bills. */
  readonly paypalPlans: Readonly<Partial<Record<contract.Tier, string>>> | undefined
  /** What this installation offers now. */
  readonly facts: () => Facts
}

const noPlans = () => new Rejection('payments_off', 'This installation has no plans. Its operators grant credits.')

export function serveSubscriptions(serve: Serve, routes: SubscriptionRoutes): void {
  const { reads, hasPlans, paypalPlans, facts } = routes
  const subscriptions = createSubscriptions(routes)
  const limit = createRateLimit(PROVIDER_CALLS_PER_MINUTE)
  const servePlans: Serve = hasPlans
    ? serve
    : (endpoint) =>
        serve(endpoint, () => {
          throw noPlans()
        })
  serve(contract.stats, ({ userId }) => reads.stats(userId))

  servePlans(contract.plans, () =>
    contract.TIERS.map((tier) => planConfiguration(tier, paypalPlans?.[tier] ?? null, facts())),
  )

  serve(contract.current, async ({ userId }) => {
    const view = await reads.current(userId)
    if (!view) throw new Rejection('not_found', 'You are on the Free plan.')
    return view
  })

  servePlans(contract.upgrade, async ({ userId, body, ctx, command }) => {
    limit.take(userId)
    const key = idempotencyKeyOf(ctx) ?? ctx.state.requestId
    const requestId = derivedId('upgrade', userId, body.new_tier, ...(body.provider ? [body.provider] : []), key)
    const { new_tier: tier, provider, language, consent } = body
    const request = { userId, tier, provider, language, consent, requestId }
    const { approvalUrl, agreementId } = await subscriptions.upgrade(request, command(requestId))
    return { data: { approval_url: approvalUrl, subscription_id: agreementId } }
  })

  servePlans(contract.cancel, async ({ userId, body, command }) => {
    const { reason, cancel_at_period_end: atPeriodEnd } = body
    const { refundProposed } = await subscriptions.cancel({ userId, reason, atPeriodEnd }, command())
    return { success: true, refund_proposed: refundProposed }
  })

  servePlans(contract.reactivate, async ({ userId, command }) => {
    await subscriptions.reactivate(userId, command())
    return { success: true }
  })

  servePlans(contract.paymentPage, async ({ userId, body }) => {
    limit.take(userId)
    return { data: { url: await subscriptions.paymentPage(userId, body.language) } }
  })

  serve(contract.withdrawSale, async ({ userId, body, command }) => {
    const { usedCredits, proposedCents, currency } = await subscriptions.withdraw(userId, body.payment, command())
    return { used_credits: usedCredits, refund: proposedCents, currency }
  })

  servePlans(contract.confirm, async ({ userId, body, command }) => {
    limit.take(userId)
    const outcome = await subscriptions.confirm(userId, body.subscription_id, command())
    const pending = outcome === 'unapproved' || outcome === 'pending'
    return { ...(await reads.stats(userId)), pending, outcome }
  })

  servePacks(servePlans, routes, limit.take)

  serve(contract.invoices, ({ userId, query: { page, per_page: perPage } }) =>
    reads.invoices(userId, { page, perPage }),
  )
}

/** @param limit counts a call of the payment provider by a user */
function servePacks(serve: Serve, routes: SubscriptionRoutes, limit: (userId: string) => void): void {
  const shop = createPacks(routes)
  const taken = routes.payments.offers.flatMap((offer) => offer.currencies)
  const currencies = contract.PACK_CURRENCIES.filter((currency) => taken.includes(currency))

  serve(contract.packs, () => ({
    packs: contract.PACK_IDS.map((id) => {
      const { credits, bonus } = contract.PACKS[id]
      const prices = currencies.map((currency) => ({ currency, price: contract.priceOf(id, currency) }))
      return { id, credits, bonus, ...must(prices[0], 'a currency of packs'), ...(prices.length > 1 && { prices }) }
    }),
  }))

  serve(contract.buyPack, async ({ userId, params, body, ctx, command }) => {
    limit(userId)
    const pack = contract.PACK_IDS.find((id) => id === params.id)
    if (!pack) throw new Rejection('not_found', 'There is no such pack.')
    const requestId = derivedId('pack', userId, pack, idempotencyKeyOf(ctx) ?? ctx.state.requestId)
    const { orderId, paymentUrl } = await shop.buy({ userId, pack, ...body, requestId }, command(requestId))
    return { data: { approval_url: paymentUrl, order_id: orderId } }
  })

  serve(contract.confirmOrder, async ({ userId, params, command }) => {
    limit(userId)
    const status = await shop.confirm(userId, params.id, command())
    return { status, stats: await routes.reads.stats(userId) }
  })
}
