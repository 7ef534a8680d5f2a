import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { currentOf } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import type { PaidTier } from './events.ts'
import { type PaymentProvider, PaymentProviderDown } from './paymentProvider.port.ts'
import { PLANS, TIERS } from './plans.contract.ts'
import { subscription } from './subscription.decider.ts'
import type { WebhookInbox } from './webhookInbox.ts'

export interface SubscriptionsDeps {
  readonly handle: Handle
  readonly payments: PaymentProvider
  readonly inbox: WebhookInbox
  /** Where the user's credits stand in the log. */
  readonly creditsAt: (userId: string) => Promise<GlobalPosition | undefined>
  readonly encrypt: (userId: string, text: string) => Promise<string>
  readonly publicUrl: () => string
  readonly now: () => number
}

export interface Upgrade {
  readonly userId: string
  readonly tier: PaidTier
  readonly language: 'en' | 'zh'
  /** The same request opens one agreement. */
  readonly requestId: string
}

/** How long a buyer who comes back from the approval page waits for the provider's answer to be taken in. */
const CONFIRM_MS = 5_000

/** What users ask of their subscription. What the provider has to be told is told by the term's workflow. */
export function createSubscriptions({
  handle,
  payments,
  inbox,
  creditsAt,
  encrypt,
  publicUrl,
  now,
}: SubscriptionsDeps) {
  const at = () => new Date(now()).toISOString()
  const give = (command: SubscriptionCommand, context: CommandContext) =>
    handle(subscription, command.userId, command, context)

  return {
    /**
     * Opens an agreement that the buyer must approve; a smaller plan than the present one begins when the period ends.
     * @throws Rejection already_subscribed, no_payment_link, unavailable
     */
    async upgrade({ userId, tier, language, requestId }: Upgrade, context: CommandContext) {
      const { state } = await give(
        { type: 'ApplyDueChanges', userId, at: at() },
        { ...context, commandId: derivedId(requestId, 'time') },
      )
      const current = currentOf(state)
      const isOver = current?.cancelled === 'final'
      if (current?.tier === tier && !isOver) throw new Rejection('already_subscribed', 'You have this plan already.')
      const isLarger = current === undefined || TIERS.indexOf(tier) > TIERS.indexOf(current.tier)
      const startsAt = isLarger ? null : current.periodEnd
      const base = publicUrl() + (language === 'zh' ? '/zh' : '')
      const addresses = { returnUrl: `${base}/payment/success`, cancelUrl: `${base}/payment/cancel` }
      const { agreementId, approvalUrl } = await reached(() =>
        payments.createAgreement({ requestId, userId, tier, startsAt, language, ...addresses }),
      )
      const price = { priceCents: PLANS[tier].priceCents, currency: 'USD' }
      const { position } = await give(
        { type: 'RequestSubscription', userId, agreementId, tier, ...price, startsAt, at: at() },
        context,
      )
      if (!approvalUrl) throw new Rejection('no_payment_link', 'No payment link received from the payment provider.')
      return { approvalUrl, agreementId, position }
    },

    /** @throws Rejection no_subscription */
    async cancel(
      { userId, reason, atPeriodEnd }: { userId: string; reason: string | undefined; atPeriodEnd: boolean },
      context: CommandContext,
    ): Promise<GlobalPosition | undefined> {
      const encryptedReason = reason ? await encrypt(userId, reason) : null
      return (await give({ type: 'CancelSubscription', userId, encryptedReason, atPeriodEnd, at: at() }, context))
        .position
    },

    /** @throws Rejection no_subscription, cannot_reactivate */
    async reactivate(userId: string, context: CommandContext): Promise<GlobalPosition | undefined> {
      return (await give({ type: 'ReactivateSubscription', userId, at: at() }, context)).position
    },

    /**
     * Asks the provider about an agreement of the user's, puts what it says through the inbox, each sale under its id, and
     * waits until that is read. Answers where subscription and credits then stand in the log.
     * @throws Rejection not_found, unavailable
     */
    async confirm(userId: string, agreementId: string, context: CommandContext) {
      const there = await reached(() => payments.getAgreement(agreementId))
      if (there?.userId !== userId) throw new Rejection('not_found', 'There is no such subscription.')
      const sales = await reached(() => payments.listSales(agreementId, new Date(0).toISOString(), at()))
      const notices = [
        ...sales.map((sale) => ({
          id: `confirmed-${sale.id}`,
          type: 'PAYMENT.SALE.COMPLETED',
          objectId: sale.id,
          subject: { kind: 'sale', sale } as const,
        })),
        {
          id: `confirmed-${agreementId}-${there.statusAt}`,
          type: 'CONFIRMED',
          objectId: `${agreementId} ${there.status} ${there.statusAt}`,
          subject: { kind: 'agreement', agreementId } as const,
        },
      ]
      for (const notice of notices) await inbox.add(notice)
      await inbox.processed(
        notices.map(({ id }) => id),
        CONFIRM_MS,
      )
      const { position } = await give({ type: 'ApplyDueChanges', userId, at: at() }, context)
      return { subscription: position, credits: await creditsAt(userId) }
    },
  }
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

async function reached<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof PaymentProviderDown)) throw error
    throw new Rejection('unavailable', 'The payment provider does not answer. Please try again in a moment.', {
      retryAfter: 10,
    })
  }
}
