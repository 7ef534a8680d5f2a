import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { monthsAfter } from '#backend/kernel/time.ts'
import { PLANS } from '#backend/subscriptions/contract.ts'
import {
  chargebackIdOf,
  type ProviderAgreement,
  type ProviderSale,
  type WebhookSubject,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { takenCents } from '#backend/subscriptions/reversals.rules.ts'
import { calendarTime, type SettleDeps, sendCommand } from './settleSubscription.ts'

const DAY_MS = 24 * 3_600_000
/** Grace period in which a plan stays active after a failed payment, while the provider retries. */
const GRACE_MS = 7 * DAY_MS
/** Billing dates shift by up to three days, because some months lack the 29th, 30th or 31st. */
const BILLING_TOLERANCE_MS = 4 * DAY_MS

export interface WebhookDeps extends SettleDeps {
  /** Returns the id of the user who paid for a sale, or undefined if the sale is unknown. */
  readonly findBuyer: (saleId: string) => Promise<string | undefined>
}

/** `later`: the webhook's agreement or sale is not known yet. `ignored`: the webhook is not about a Kinora sale. */
export type WebhookResult = { readonly userId: string } | 'later' | 'ignored'

/**
 * Applies a webhook to its subscription. Sales and reversals are recorded as received. Everything else is read from
 * the provider, so webhooks may arrive in any order and more than once.
 */
export async function applyWebhook(deps: WebhookDeps, subject: WebhookSubject): Promise<WebhookResult> {
  try {
    return await apply(deps, subject)
  } catch (error) {
    if (error instanceof Rejection && error.code.startsWith('unknown_')) return 'later'
    throw error
  }
}

async function apply(deps: WebhookDeps, subject: WebhookSubject): Promise<WebhookResult> {
  switch (subject.kind) {
    case 'other':
      return 'ignored'
    case 'agreement':
      return refreshAgreement(deps, subject.agreementId)
    case 'payment_failed':
      return refreshAgreement(deps, subject.agreementId, { failedAt: subject.failedAt })
    case 'sale':
      return refreshAgreement(deps, subject.sale.agreementId, { sale: subject.sale })
    case 'reversal': {
      const userId = await deps.findBuyer(subject.saleId)
      if (userId === undefined) return 'later'
      const { saleId, reversalId, amountCents, reversal: kind } = subject
      // Whether a refund ends the plan depends on the sales after it, whose webhooks can be late.
      const { sales, reversals } = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
      if (reversals.some(({ id }) => id === reversalId)) return { userId }
      const sale = sales.find(({ id }) => id === saleId)
      if (sale) await refreshAgreement(deps, sale.agreementId)
      const reversal = { userId, saleId, reversalId, amountCents, kind }
      await sendCommand(deps, { type: 'ReportReversal', ...reversal, at: calendarTime(deps) })
      return { userId }
    }
    case 'dispute': {
      const { disputeId, saleIds, outcome, statusAt } = subject
      let result: WebhookResult = 'later'
      for (const saleId of saleIds) {
        const userId = await deps.findBuyer(saleId)
        if (userId === undefined) continue
        const dispute = { userId, saleId, disputeId, outcome, statusAt }
        await sendCommand(deps, { type: 'ReportDispute', ...dispute, at: calendarTime(deps) })
        result = { userId }
      }
      return result
    }
  }
}

interface Hints {
  readonly sale?: ProviderSale
  readonly failedAt?: string
  /** Whether to report sales that the provider lists as refunded whole, in case the webhooks of their refunds were lost. */
  readonly reconciles?: boolean
}

/** Reads an agreement from the provider and reports its sales, failed payments and status. */
export async function refreshAgreement(
  deps: SettleDeps,
  agreementId: string,
  hints: Hints = {},
): Promise<WebhookResult> {
  const remote = await deps.payments.getAgreement(agreementId)
  if (!remote?.userId) return 'ignored'
  const { userId } = remote
  const { agreements } = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
  const agreement = agreements.find(({ id }) => id === agreementId)
  if (!agreement) return 'later'
  const listed = await deps.payments.listSales(agreementId, agreement.requestedAt, calendarTime(deps))
  const sales = new Map([...listed, ...(hints.sale ? [hints.sale] : [])].map((sale) => [sale.id, sale]))
  for (const sale of [...sales.values()].toSorted((a, b) => (a.soldAt < b.soldAt ? -1 : 1))) {
    const { id: saleId, amountCents, currency, soldAt } = sale
    const { credits } = PLANS[agreement.tier]
    const data = { saleId, amountCents, currency, credits, soldAt, periodEnd: periodEndOf(sale, remote) }
    await sendCommand(deps, { type: 'ReportSale', userId, agreementId, ...data, at: calendarTime(deps) })
  }
  // After all sales, because a refund ends the plan only if no later sale pays for it.
  for (const sale of listed) if (hints.reconciles && sale.refunded) await reportRefunded(deps, userId, sale)
  for (const failedAt of [hints.failedAt, remote.failedAt]) {
    if (!failedAt) continue
    const failure = { failedAt, graceUntil: new Date(Date.parse(failedAt) + GRACE_MS).toISOString() }
    await sendCommand(deps, { type: 'ReportPaymentFailed', userId, agreementId, ...failure, at: calendarTime(deps) })
  }
  const { status, statusAt, trial, nextBillingAt: periodEnd } = remote
  const data = { status, statusAt, trial, periodEnd }
  await sendCommand(deps, { type: 'ReportStatus', userId, agreementId, ...data, at: calendarTime(deps) })
  return { userId }
}

/**
 * Reports a sale that is refunded whole. The list of sales does not tell a refund from a chargeback. It is reported as a
 * chargeback, whose credits return if its dispute is won.
 */
async function reportRefunded(deps: SettleDeps, userId: string, sale: ProviderSale): Promise<void> {
  const { id: saleId, amountCents } = sale
  const known = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
  const paid = known.sales.find(({ id }) => id === saleId)
  const isBooked = paid
    ? takenCents(known, paid) === amountCents
    : known.reversals.some((each) => each.saleId === saleId)
  if (isBooked) return
  const reversal = { saleId, reversalId: chargebackIdOf(saleId), amountCents, kind: 'reversal' } as const
  await sendCommand(deps, { type: 'ReportReversal', userId, ...reversal, at: calendarTime(deps) })
}

/** Returns the end of a sale's period: the next billing time for the latest sale, a month later for older sales. */
function periodEndOf({ soldAt }: ProviderSale, { nextBillingAt }: ProviderAgreement): string {
  const month = monthsAfter(soldAt, 1)
  if (nextBillingAt === null || nextBillingAt <= soldAt) return month
  return Date.parse(nextBillingAt) < Date.parse(month) + BILLING_TOLERANCE_MS ? nextBillingAt : month
}
