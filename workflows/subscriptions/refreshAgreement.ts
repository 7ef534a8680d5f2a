import { type Calendar, monthsAfter } from '#backend/kernel/time.ts'
import { PLANS } from '#backend/subscriptions/contract.ts'
import type {
  ListedSale,
  PaymentProvider,
  ProviderAgreement,
  ProviderReversal,
  ProviderSale,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { takenCents } from '#backend/subscriptions/takenBack.rules.ts'
import { type CommandDeps, calendarTime, sendCommand } from './sendCommand.ts'

const DAY_MS = 24 * 3_600_000
/** Grace period in which a plan stays active after a failed payment, while the provider retries. */
const GRACE_MS = 7 * DAY_MS
/** The clocks of this host and of the provider may differ. */
const CLOCK_TOLERANCE_MS = DAY_MS
/** Billing dates shift by up to three days, because some months lack the 29th, 30th or 31st. */
const BILLING_TOLERANCE_MS = 4 * DAY_MS

/** Alerts for the operator, one per code. `raise` repeats without effect. */
interface Alerts {
  raise(code: string, detail: string): Promise<void>
  clear(code: string): Promise<void>
}

type Asked =
  | ('collectOrder' | 'closeOrder' | 'getAgreement' | 'listSales' | 'getReversal' | 'getDispute' | 'getFraudWarning')
  | ('refund' | 'pauseAgreement' | 'resumeAgreement' | 'cancelAgreement')

/** What workflows ask of the payment providers: each id says which of them. */
export interface Payments extends Pick<PaymentProvider, Asked> {
  /** Returns whether the provider of an id is set up. */
  reaches(id: string): boolean
  /** Also returns the names of the providers that refuse the list, and why others could not be asked. */
  listReversals(
    from: string,
    to: string,
  ): Promise<{ reversals: ProviderReversal[]; refusedBy: string[]; failures: unknown[] }>
}

export interface RefreshDeps extends CommandDeps {
  readonly alerts: Alerts
  readonly payments: Payments
  readonly calendar: Calendar
}

/** `later`: the provider does not list the webhook's agreement, sale, reversal or dispute yet. `ignored`: the webhook is not about a Kinora sale. */
export type WebhookResult = { readonly userId: string } | 'later' | 'ignored'

interface Hints {
  /** A sale that a webhook named. It waits until the provider lists it. */
  readonly saleId?: string
  /** Whether to report sales that the provider lists as refunded whole, in case the webhooks of their refunds were lost. */
  readonly reconciles?: boolean
}

/** Alerts the operator to a sale that cannot be booked. */
export async function alertUnreadable({ alerts }: RefreshDeps, userId: string, saleId: string): Promise<void> {
  const detail = `The provider lists sale ${saleId} of user ${userId} with an amount that cannot be booked.`
  await alerts.raise(`sale_unreadable ${saleId}`, `${detail} It granted no credits.`)
}

/** Reads an agreement from the provider and reports its sales, failed payments and status. */
export async function refreshAgreement(deps: RefreshDeps, askedFor: string, hints: Hints = {}): Promise<WebhookResult> {
  const remote = await deps.payments.getAgreement(askedFor)
  if (!remote?.userId) return 'ignored'
  const { userId, id: agreementId } = remote
  const { agreements } = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
  const agreement = agreements.find(({ id }) => id === agreementId)
  if (!agreement) return 'later'
  const from = new Date(Date.parse(agreement.requestedAt) - CLOCK_TOLERANCE_MS).toISOString()
  const listed = await deps.payments.listSales(agreementId, from, calendarTime(deps))
  for (const sale of listed.toSorted((a, b) => a.soldAt.localeCompare(b.soldAt))) {
    const { id: saleId, amountCents, currency, soldAt, feeCents } = sale
    if (amountCents === undefined) {
      await alertUnreadable(deps, userId, saleId)
      continue
    }
    const { credits } = PLANS[agreement.tier]
    const data = { saleId, amountCents, currency, credits, soldAt, feeCents, periodEnd: periodEndOf(sale, remote) }
    await sendCommand(deps, { type: 'ReportSale', userId, agreementId, ...data, at: calendarTime(deps) })
  }
  // After all sales, because a refund ends the plan only if no later sale pays for it.
  for (const sale of listed) if (hints.reconciles && sale.refunded) await reportRefunded(deps, userId, sale)
  const { failedAt } = remote
  if (failedAt !== null) {
    const failure = { failedAt, graceUntil: new Date(Date.parse(failedAt) + GRACE_MS).toISOString() }
    await sendCommand(deps, { type: 'ReportPaymentFailed', userId, agreementId, ...failure, at: calendarTime(deps) })
  }
  const { status, statusAt, trial, nextBillingAt: periodEnd } = remote
  const data = { status, statusAt, trial, periodEnd }
  await sendCommand(deps, { type: 'ReportStatus', userId, agreementId, ...data, at: calendarTime(deps) })
  return hints.saleId === undefined || listed.some(({ id }) => id === hints.saleId) ? { userId } : 'later'
}

/**
 * Reports a sale that is refunded whole. The list of sales does not tell a refund from a chargeback. It is reported as a
 * chargeback, whose credits return if its dispute is won, or if it was a refund that fails.
 */
async function reportRefunded(deps: RefreshDeps, userId: string, sale: ListedSale): Promise<void> {
  const { id: saleId, amountCents } = sale
  if (amountCents === undefined) return
  const known = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
  const paid = known.sales.find(({ id }) => id === saleId)
  const isBooked = paid
    ? takenCents(known, paid) === amountCents
    : known.reversals.some((each) => each.saleId === saleId)
  if (isBooked) return
  // One that stood for a refund that failed does not stand for the next.
  const failed = known.reversals.filter((each) => each.saleId === saleId && each.assumed && each.failed).length
  const reversalId = `${saleId} taken back${failed === 0 ? '' : ` ${failed + 1}`}`
  const reversal = { saleId, reversalId, amountCents, kind: 'reversal', assumed: true } as const
  await sendCommand(deps, { type: 'ReportReversal', userId, ...reversal, at: calendarTime(deps) })
}

/** Returns the end of a sale's period: the next billing time for the latest sale, a month later for older sales. */
function periodEndOf({ soldAt }: ProviderSale, { nextBillingAt }: ProviderAgreement): string {
  const month = monthsAfter(soldAt, 1)
  if (nextBillingAt === null || nextBillingAt <= soldAt) return month
  return Date.parse(nextBillingAt) < Date.parse(month) + BILLING_TOLERANCE_MS ? nextBillingAt : month
}
