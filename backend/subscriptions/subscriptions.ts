import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { must } from '../kernel/must.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Calendar } from '../kernel/time.ts'
import { currentOf } from './agreements.rules.ts'
import { callProvider } from './callProvider.ts'
import type { SubscriptionCommand } from './commands.ts'
import { isLeftOpen } from './endings.rules.ts'
import type { PaidTier } from './events.ts'
import type { ListedSale, PaymentWebhook, ProviderAgreement } from './paymentProvider.port.ts'
import { PLANS, TIERS } from './plans.contract.ts'
import { subscription } from './subscription.decider.ts'
import type { Tills } from './tills.ts'
import type { WebhookInbox } from './webhooks/webhookInbox.ts'

export interface SubscriptionsDeps {
  readonly changes: Changes
  readonly handle: Handle
  readonly payments: Tills
  /** Returns the names of providers that open no new checkout. */
  readonly pausedTills: () => Promise<readonly string[]>
  readonly inbox: WebhookInbox
  /** `expire` closes expired lots and returns the log position of the user's credits. */
  readonly credits: {
    expire(userId: string): Promise<GlobalPosition | undefined>
    /** Returns how many credits of a sale were used. */
    usedOf(userId: string, saleId: string): Promise<number>
  }
  readonly encrypt: (about: { purpose: string; userId: string; row: string }, text: string) => Promise<string>
  readonly publicUrl: () => string
  readonly calendar: Calendar
}

type Upgrade = Readonly<
  {
    userId: string
    tier: PaidTier
    provider?: string | undefined
    language: 'en' | 'zh'
    requestId: string
  } & Consent
>
/** Version of the text by which the buyer asked to begin before the time to withdraw ends; missing if the buyer did not. */
export type Consent = Readonly<{ consent?: string | undefined }>
type Outcome = 'unapproved' | 'pending' | 'started' | 'ended'
type Cancellation = Readonly<{ userId: string; reason: string | undefined; atPeriodEnd: boolean }>

/** Currency of the plans' prices. */
const PLAN_CURRENCY = 'USD'

/**
 * Returns the provider that the buyer chose, by default the preferred one that is not paused.
 * @throws Rejection no_such_provider, till_paused
 */
export async function chooseTill(
  { payments: { offers }, pausedTills }: Pick<SubscriptionsDeps, 'payments' | 'pausedTills'>,
  currency: string,
  wish: string | undefined,
): Promise<string> {
  const fitting = offers.filter(({ name, currencies }) => (wish ?? name) === name && currencies.includes(currency))
  const paused = await pausedTills()
  const offer = fitting.find(({ name }) => !paused.includes(name))
  if (offer) return offer.name
  if (fitting.length > 0) throw new Rejection('till_paused', 'Payments are paused right now. Nothing was charged.')
  throw new Rejection('no_such_provider', `Payments in ${currency}${wish ? ` by ${wish}` : ''} are not offered here.`)
}

/** Withdrawn agreements that a user can have open at the provider: every settlement asks about each of them. */
const MAX_LEFT_OPEN = 10
const LEFT_OPEN_RETRY_SECONDS = 24 * 3_600

/** Maximum time that `confirm` waits for the provider's data to be processed. */
const CONFIRM_TIMEOUT_MS = 5_000

/** Creates the functions that send commands. `sendAndWait` resolves once the read model shows the outcome. */
export function createSender({ changes, handle, calendar }: SubscriptionsDeps) {
  const at = () => new Date(calendar()).toISOString()
  const sendCommand = (command: SubscriptionCommand, context: CommandContext) =>
    handle(subscription, command.userId, command, context)
  const sendAndWait = async (command: SubscriptionCommand, context: CommandContext) => {
    const { position, state } = await sendCommand(command, context)
    await changes.waitFor(['currentSubscriptions'], position)
    return state
  }
  const read = async (userId: string) => (await handle.read(subscription, userId)).state
  return { at, read, sendCommand, sendAndWait }
}

/**
 * Creates the function that creates an agreement for the buyer to approve, or returns the one for this plan that is still
 * open. A smaller plan starts when the current period ends.
 * @param requestId idempotency key
 * @throws Rejection already_subscribed, too_many_approvals, no_payment_link, no_such_provider, till_paused, unavailable
 */
function createUpgrade(deps: SubscriptionsDeps) {
  const { payments, publicUrl } = deps
  const { at, sendCommand, sendAndWait } = createSender(deps)
  const isPast = (instant: string | null) => instant !== null && instant <= at()

  return async ({ userId, tier, language, requestId, consent, ...wish }: Upgrade, context: CommandContext) => {
    const provider = await chooseTill(deps, PLAN_CURRENCY, wish.provider)
    const timing = { ...context, commandId: derivedId(requestId, 'time') }
    const { state } = await sendCommand({ type: 'ApplyDueChanges', userId, at: at() }, timing)
    const current = currentOf(state)
    if (current?.tier === tier && current.cancelled !== 'final' && current.status !== 'suspended')
      throw new Rejection('already_subscribed', 'You have this plan already.')
    if (state.agreements.filter(isLeftOpen).length >= MAX_LEFT_OPEN)
      throw new Rejection('too_many_approvals', 'You have requested and cancelled plans too often.', {
        retryAfter: LEFT_OPEN_RETRY_SECONDS,
      })
    const isLarger = current === undefined || TIERS.indexOf(tier) > TIERS.indexOf(current.tier)
    // A period that is over, because its renewal failed, delays nothing. The provider refuses dates in the past.
    const startsAt = isLarger || isPast(current.periodEnd) ? null : current.periodEnd
    const base = publicUrl() + (language === 'zh' ? '/zh' : '')
    const urls = { returnUrl: `${base}/payment/success`, cancelUrl: `${base}/payment/cancel` }
    const others = provider === payments.offers[0]?.name ? [] : [provider]
    // The provider returns the same agreement for the same id, until one of the user's agreements is approved or ends.
    const decided = state.agreements.filter(({ status }) => status !== 'pending').length
    const openId = derivedId('approval', userId, tier, startsAt ?? 'now', language, String(decided), ...others)
    const { agreementId, approvalUrl } = await callProvider(() =>
      payments.createAgreement(provider, { requestId: openId, userId, tier, startsAt, language, ...urls }),
    )
    const price = { priceCents: PLANS[tier].priceCents, currency: PLAN_CURRENCY }
    const request = { userId, agreementId, provider, tier, ...price, startsAt, ...(consent && { consent }) }
    await sendAndWait({ type: 'RequestSubscription', ...request, at: at() }, context)
    if (!approvalUrl) throw new Rejection('no_payment_link', 'No payment link received from the payment provider.')
    return { approvalUrl, agreementId }
  }
}

/** Returns an agreement and its sales as webhooks. */
function webhooksOf({ id: agreementId, status, statusAt }: ProviderAgreement, sales: readonly ListedSale[]) {
  const webhooks: PaymentWebhook[] = sales.map((sale) => ({
    id: `confirmed-${sale.id}`,
    type: 'PAYMENT.SALE.COMPLETED',
    objectId: sale.id,
    subject: { kind: 'sale', sale: { id: sale.id, agreementId } },
  }))
  webhooks.push({
    id: `confirmed-${agreementId}-${statusAt}`,
    type: 'CONFIRMED',
    objectId: `${agreementId} ${status} ${statusAt}`,
    subject: { kind: 'agreement', agreementId },
  })
  return webhooks
}

/**
 * Creates the function that returns the provider's page on which the buyer completes a failed payment of the plan, or changes how
 * it is paid.
 * @throws Rejection not_found, no_payment_link, unavailable
 */
function createPaymentPage(deps: SubscriptionsDeps) {
  const { payments, publicUrl } = deps
  const { read } = createSender(deps)

  return async (userId: string, language: 'en' | 'zh'): Promise<string> => {
    const current = currentOf(await read(userId))
    if (!current) throw new Rejection('not_found', 'You are on the Free plan.')
    const returnUrl = `${publicUrl()}${language === 'zh' ? '/zh' : ''}/profile#subscription`
    const agreement = await callProvider(() => payments.getAgreement(current.id))
    const url = agreement?.completionUrl ?? (await callProvider(() => payments.paymentMethodUrl(current.id, returnUrl)))
    if (!url) throw new Rejection('no_payment_link', 'The payment provider has no page for this. Please sign in there.')
    return url
  }
}

/**
 * Creates the subscription commands for users. Calls resolve once the read models show the outcome. The lifecycle
 * workflow forwards changes to the provider.
 */
export function createSubscriptions(deps: SubscriptionsDeps) {
  const { changes, payments, inbox, credits, encrypt } = deps
  const { at, sendCommand, sendAndWait } = createSender(deps)

  return {
    upgrade: createUpgrade(deps),

    /** Returns whether a refund of the unused share is proposed to the operator. @throws Rejection no_subscription */
    async cancel({ userId, reason, atPeriodEnd }: Cancellation, context: CommandContext) {
      const encryptedReason = reason
        ? await encrypt({ purpose: 'cancellation reason', userId, row: userId }, reason)
        : null
      const now = at()
      await sendCommand({ type: 'CancelSubscription', userId, encryptedReason, atPeriodEnd, at: now }, context)
      // A plan that nothing pays for ends immediately.
      const timing = { ...context, commandId: derivedId(context.commandId, 'time') }
      const { proposedRefunds } = await sendAndWait({ type: 'ApplyDueChanges', userId, at: at() }, timing)
      return { refundProposed: proposedRefunds.some((refund) => refund.cause === 'cancelled' && refund.at >= now) }
    },

    /**
     * Withdraws from the contract of a sale. Returns how many of its credits were used, and the refund that is proposed.
     * @throws Rejection not_found, withdrawal_over
     */
    async withdraw(userId: string, saleId: string, context: CommandContext) {
      const usedCredits = await credits.usedOf(userId, saleId)
      const { withdrawals } = await sendAndWait(
        { type: 'WithdrawSale', userId, saleId, usedCredits, at: at() },
        context,
      )
      return must(
        withdrawals.find((each) => each.saleId === saleId),
        'withdrawal',
      )
    },

    /** @throws Rejection no_subscription, cannot_reactivate */
    async reactivate(userId: string, context: CommandContext): Promise<void> {
      await sendAndWait({ type: 'ReactivateSubscription', userId, at: at() }, context)
    },

    paymentPage: createPaymentPage(deps),

    /**
     * Reads an agreement and its sales from the provider and processes them like webhooks, so that the buyer sees the
     * new plan when returning from the approval page. Returns what has become of it.
     * @throws Rejection not_found, unavailable
     */
    async confirm(userId: string, agreementId: string, context: CommandContext): Promise<Outcome> {
      const agreement = await callProvider(() => payments.getAgreement(agreementId))
      if (agreement?.userId !== userId) throw new Rejection('not_found', 'There is no such subscription.')
      const { status } = agreement
      const sales = await callProvider(() => payments.listSales(agreementId, new Date(0).toISOString(), at()))
      const webhooks = webhooksOf(agreement, sales)
      for (const webhook of webhooks) await inbox.add(webhook)
      const ids = webhooks.map(({ id }) => id)
      await inbox.processed(ids, CONFIRM_TIMEOUT_MS)
      const [{ agreements }] = await Promise.all([
        sendAndWait({ type: 'ApplyDueChanges', userId, at: at() }, context),
        credits.expire(userId).then((position) => changes.waitFor(['creditBalances'], position)),
      ])
      const own = agreements.find(({ id }) => id === agreementId)
      if (status === 'pending' && own?.status !== 'ended') return 'unapproved'
      if (own === undefined || own.status === 'ended') return 'ended'
      return own.status === 'pending' ? 'pending' : 'started'
    },
  }
}

export type Subscriptions = ReturnType<typeof createSubscriptions>
