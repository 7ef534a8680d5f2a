import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import { inParallel } from '#backend/kernel/inParallel.ts'
import { tillOf, type WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import type { ActivityContext, Engine, Implemented, NoInput } from '../engine/engine.port.ts'
import { applyWebhook, type WebhookDeps } from './applyWebhook.ts'
import { createForEachAnswered } from './forEachAnswered.ts'
import type { WebhookActivities } from './processWebhook.workflow.ts'
import type { ReconcileActivities } from './reconcile.workflow.ts'
import { applyReversals, listReversals } from './reconcileReversals.ts'
import { refreshAgreement } from './refreshAgreement.ts'
import { refreshOrder } from './refreshOrder.ts'
import { type ReminderDeps, remind } from './remind.ts'
import {
  type LifecycleActivities,
  runSubscriptionLifecycle,
  SUBSCRIPTION_CHANGED,
} from './runSubscriptionLifecycle.workflow.ts'
import { type SaleCredits, settleSubscription, settleUnlessRefused } from './settleSubscription.ts'

export type SubscriptionActivities = LifecycleActivities & WebhookActivities & ReconcileActivities

export interface SubscriptionActivityDeps extends WebhookDeps, ReminderDeps {
  readonly credits: SaleCredits & { expire(userId: string): Promise<unknown> }
  readonly inbox: {
    find(id: string): Promise<{ readonly subject: WebhookSubject; readonly receivedAt: number } | undefined>
    close(id: string, outcome: 'processed' | 'ignored' | 'unmatched'): Promise<void>
  }
  /** Returns the agreements that the provider may still bill, grouped by user. */
  readonly openAgreements: () => Promise<readonly { userId: string; agreementIds: readonly string[] }[]>
  readonly usersWithExpiredLots: () => Promise<readonly string[]>
  /** Returns the recent orders of packs whose fees the provider has not told. */
  readonly ordersWithoutFee: () => Promise<readonly string[]>
  readonly onUnmatchedWebhook: (webhookId: string) => Promise<void>
  readonly signal: Engine['signal']
}

/** Time after which a webhook about an unknown agreement or sale is closed. */
const MATCH_TIMEOUT_MS = 3 * 24 * 3_600_000

/** Users whose agreements are refreshed at the same time: few, because PayPal limits the rate of calls. */
const PARALLEL_USERS = 4
/** Longer than all attempts of a reconciliation, which refresh each agreement and settle each user once. */
const RECONCILED_MS = 12 * 3_600_000

const tillsOf = (id: string) => [tillOf(id)]

const UNREACHABLE = 'agreements_unreachable'

/** Alerts the operator to agreements of providers that are not set up any more, which go on billing them. */
async function warnOfUnreachable({ payments, alerts }: WebhookDeps, agreements: readonly string[]): Promise<void> {
  const unreached = agreements.filter((id) => !payments.reaches(id)).map(tillOf)
  const counts = [...new Set(unreached)].map((till) => `${till} (${unreached.filter((each) => each === till).length})`)
  const detail =
    `Agreements of payment providers that are not set up may still be billed: ${counts.join(', ')}. ` +
    'Cancel them there, or set the settings again.'
  await (counts.length > 0 ? alerts.raise(UNREACHABLE, detail) : alerts.clear(UNREACHABLE))
}

export function createSubscriptionActivities(deps: SubscriptionActivityDeps) {
  const { inbox, credits, signal } = deps
  /** When the attempts of the current reconciliation refreshed each agreement and settled each user, by their ids. */
  const reconciledAt = new Map<string, number>()

  return {
    async settleSubscription({ userId }: { userId: string }) {
      const { due, failures } = await settleUnlessRefused(deps, userId)
      const reminder = await remind(deps, userId)
      if (failures.length > 0) throw failures[0]
      return reminder === null ? due : Math.min(due ?? reminder, reminder)
    },

    async processWebhook({ webhookId }: { webhookId: string }) {
      const webhook = await inbox.find(webhookId)
      if (!webhook) return 'processed'
      const result = await applyWebhook(deps, webhook.subject)
      if (result === 'later') {
        if (Date.now() - webhook.receivedAt < MATCH_TIMEOUT_MS) return 'later'
        await deps.onUnmatchedWebhook(webhookId)
        await inbox.close(webhookId, 'unmatched')
      } else if (result === 'ignored') {
        await inbox.close(webhookId, 'ignored')
      } else {
        // Settle before closing the webhook, so that `confirm` returns after credits are granted. The lifecycle calls the
        // provider again about agreements that it refused.
        const { failures } = await settleUnlessRefused(deps, result.userId)
        const unreadable = failures.find(isUnreadable)
        if (unreadable) throw unreadable
        await signal(runSubscriptionLifecycle, result, SUBSCRIPTION_CHANGED)
        await inbox.close(webhookId, 'processed')
      }
      return 'processed'
    },

    async reconcile(_input: NoInput, context: Partial<ActivityContext> = {}) {
      const { failures, forEach } = createForEachAnswered(context.signal)
      const { reversals, failures: unasked } = await listReversals(deps)
      failures.push(...unasked)
      const unmatched = await applyReversals(deps, reversals, forEach)
      const open = await deps.openAgreements()
      await warnOfUnreachable(
        deps,
        open.flatMap(({ agreementIds }) => agreementIds),
      )
      const isDue = (id: string) => (reconciledAt.get(id) ?? 0) < Date.now() - RECONCILED_MS
      await inParallel(open, PARALLEL_USERS, async ({ userId, agreementIds }) => {
        const refresh = async (agreementId: string) => {
          await refreshAgreement(deps, agreementId, { reconciles: true })
          reconciledAt.set(agreementId, Date.now())
        }
        await forEach(agreementIds.filter(isDue), refresh, tillsOf)
        // An agreement that was withdrawn and approved later changes no stream, but must be cancelled at the provider.
        const settle = async () => {
          await settleSubscription(deps, userId)
          reconciledAt.set(userId, Date.now())
        }
        await forEach([userId].filter(isDue), settle, () => [...new Set(agreementIds.map(tillOf))])
      })
      // Their sales may have been found by now.
      await applyReversals(deps, unmatched, forEach)
      await forEach(await deps.usersWithExpiredLots(), credits.expire)
      // Stripe books fees after payments. Those of plans are found with their agreements.
      const untold = await deps.ordersWithoutFee()
      await forEach(untold.filter(deps.payments.reaches), (id) => refreshOrder(deps, id), tillsOf)
      if (failures.length > 0) throw failures[0]
      reconciledAt.clear()
    },
  } satisfies Implemented<SubscriptionActivities>
}
