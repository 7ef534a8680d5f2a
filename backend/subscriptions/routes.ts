import { readCredits } from '#projections/credits/readCredits.ts'
import { readInvoices, readSubscription } from '#projections/subscriptions/readSubscription.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instantOrNull } from '../kernel/http/instant.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import * as contract from './contract.ts'
import { planConfiguration } from './planConfiguration.ts'
import type { Subscriptions } from './subscriptions.ts'
import { currentView, invoiceView, shownTier, statusOf } from './subscriptionView.ts'

export interface SubscriptionRoutes {
  readonly database: Database
  readonly changes: Changes
  readonly subscriptions: Subscriptions
  /** The provider's plan that bills a tier, if there is one. */
  readonly providerPlan: (tier: contract.Tier) => string | null
  /** The calendar's time. */
  readonly calendar: () => number
}

/** A user's tier and credits, as the API and the socket tell them. */
export async function statsOf(
  { database, calendar }: Pick<SubscriptionRoutes, 'database' | 'calendar'>,
  userId: string,
): Promise<contract.Stats> {
  const at = new Date(calendar()).toISOString()
  const [{ remaining, used }, row] = await Promise.all([
    readCredits(database, userId, at),
    readSubscription(database, userId),
  ])
  const renews = row?.state === 'active' && !row.cancelled
  return {
    current_tier: shownTier(row),
    current_status: statusOf(row),
    remaining_credits: remaining,
    total_credits: remaining + used,
    used_credits: used,
    next_reset_date: renews ? instantOrNull(row.period_end) : null,
  }
}

export function serveSubscriptions(serve: Serve, deps: SubscriptionRoutes): void {
  const { database, changes, subscriptions, providerPlan } = deps
  const shown = (position: Parameters<Changes['waitFor']>[1]) => changes.waitFor(['currentSubscriptions'], position)

  serve(contract.stats, ({ userId }) => statsOf(deps, userId))

  serve(contract.plans, () => contract.TIERS.map((tier) => planConfiguration(tier, providerPlan(tier))))

  serve(contract.current, async ({ userId }) => {
    const view = currentView(await readSubscription(database, userId))
    if (!view) throw new Rejection('not_found', 'You are on the Free plan.')
    return view
  })

  serve(contract.upgrade, async ({ userId, body, ctx, command }) => {
    const key = ctx.get('Idempotency-Key') || ctx.state.requestId
    const requestId = derivedId('upgrade', userId, body.new_tier, key)
    const request = { userId, tier: body.new_tier, language: body.language, requestId }
    const { approvalUrl, agreementId, position } = await subscriptions.upgrade(request, command(requestId))
    await shown(position)
    return { data: { approval_url: approvalUrl, subscription_id: agreementId } }
  })

  serve(contract.cancel, async ({ userId, body, command }) => {
    const { reason, cancel_at_period_end: atPeriodEnd } = body
    await shown(await subscriptions.cancel({ userId, reason, atPeriodEnd }, command()))
    return { success: true }
  })

  serve(contract.reactivate, async ({ userId, command }) => {
    await shown(await subscriptions.reactivate(userId, command()))
    return { success: true }
  })

  serve(contract.confirm, async ({ userId, body, command }) => {
    const { subscription, credits } = await subscriptions.confirm(userId, body.subscription_id, command())
    await Promise.all([shown(subscription), changes.waitFor(['creditBalances'], credits)])
    return statsOf(deps, userId)
  })

  serve(contract.invoices, async ({ userId, query }) => {
    const { invoices, total } = await readInvoices(database, userId, { page: query.page, perPage: query.per_page })
    return { invoices: invoices.map(invoiceView), total }
  })
}
