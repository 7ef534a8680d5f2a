import type { Origin } from '#backend/kernel/eventsourcing/command.ts'
import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import {
  type Agreement,
  forfeitedSales,
  isRunning,
  type ProposedRefund,
  type Subscription,
} from '#backend/subscriptions/agreements.rules.ts'
import { nextChangeDueAt } from '#backend/subscriptions/dueChanges.rules.ts'
import { awaitsApproval } from '#backend/subscriptions/endings.rules.ts'
import { packSales } from '#backend/subscriptions/packs.rules.ts'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { ofSale, takenCents } from '#backend/subscriptions/takenBack.rules.ts'
import { type RefreshDeps, refreshAgreement } from './refreshAgreement.ts'
import { settleOrder } from './refreshOrder.ts'
import { calendarTime, originOfAgreement, sendCommand } from './sendCommand.ts'
import { type CaseDoor, settleCases } from './settleCases.ts'

type Claim = Readonly<{ saleId: string; reversalId: string; amount: number; stillClaimed: number; reason: string }>
type Restoration = Readonly<{ saleId: string; restorationId: string; amount: number; stillClaimed: number }>

/** Credit operations for sales. Every operation is idempotent. */
export interface SaleCredits {
  grantSale(
    userId: string,
    sale: Readonly<{ saleId: string; amount: number; source: 'subscription' | 'payment' | 'pack' }>,
    origin?: Origin,
  ): Promise<void>
  reverseSale(userId: string, claim: Claim): Promise<void>
  restoreSale(userId: string, restoration: Restoration): Promise<void>
  /** Takes the credits of a sale that is to be refunded. Returns false if some of them were used. */
  voidSale(userId: string, saleId: string): Promise<boolean>
  /** Returns how many of a sale's credits were granted, and how many were forfeited unused. */
  unusedOf(userId: string, saleId: string): Promise<{ granted: number; forfeited: number }>
  forfeitSales(userId: string, saleIds: readonly string[]): Promise<void>
}

export interface SettleDeps extends RefreshDeps {
  readonly credits: SaleCredits
  readonly cases: CaseDoor
}

/**
 * Applies due changes, then brings credits and the provider's agreements in line with the subscription. Each step
 * depends only on the streams, so it can be interrupted and repeated. Returns the delay in milliseconds until the next
 * change is due, or null if none is. Throws the first of the failures of {@link settleUnlessRefused}.
 */
export async function settleSubscription(deps: SettleDeps, userId: string): Promise<number | null> {
  const { due, failures } = await settleUnlessRefused(deps, userId)
  if (failures.length > 0) throw failures[0]
  return due
}

/** Time after which an unpaid order is asked about again. */
const ORDER_MS = 3_600_000

/** Settles like {@link settleSubscription}. Also returns the failures that did not keep the other steps from being done. */
export async function settleUnlessRefused(
  deps: SettleDeps,
  userId: string,
): Promise<{ due: number | null; failures: readonly unknown[] }> {
  let state = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
  const failures: unknown[] = []
  // A broken credit account must not keep a cancelled plan billed.
  const unlessReadable = (error: unknown): undefined => {
    if (!isUnreadable(error)) throw error
    failures.push(error)
    return undefined
  }
  await settleCredits(deps, userId, state).catch(unlessReadable)
  for (const refund of state.proposedRefunds)
    state = (await settleRefund(deps, userId, state, refund).catch(unlessReadable)) ?? state
  await endFraudWarnings(deps, state)
  for (const agreement of state.agreements)
    try {
      state = (await syncProvider(deps, userId, agreement)) ?? state
    } catch (error) {
      if (error instanceof PaymentProviderDown) throw error
      // An agreement that the provider refuses must not keep another one billed.
      failures.push(error)
    }
  const open = state.packs.filter(({ status }) => status === 'requested')
  for (const pack of open)
    try {
      await settleOrder(deps, userId, pack)
    } catch (error) {
      if (error instanceof PaymentProviderDown) throw error
      failures.push(error)
    }
  await settleCases(deps.cases, userId, state)
  for (const { id } of state.packs.filter(({ abandoned }) => abandoned)) await deps.payments.closeOrder(id)
  const dueAt = nextChangeDueAt(state)
  const due = dueAt === undefined ? null : Math.max(Date.parse(dueAt) - deps.calendar(), 0)
  return { due: open.length === 0 ? due : Math.min(due ?? ORDER_MS, ORDER_MS), failures }
}

/** Brings the credits in line with the sales and reversals. */
async function settleCredits(deps: SettleDeps, userId: string, subscription: Subscription): Promise<void> {
  const { credits } = deps
  const sales = [
    ...subscription.sales.map((sale) => ({ ...sale, source: sale.afterEnd ? 'payment' : 'subscription' }) as const),
    ...packSales(subscription).map((sale) => ({ ...sale, source: 'pack' }) as const),
  ]
  for (const { id: saleId, agreementId, credits: amount, source } of sales)
    await credits.grantSale(userId, { saleId, amount, source }, await originOfAgreement(deps, userId, agreementId))
  const claimed = new Map<string, number>()
  for (const { id, saleId, credits: amount, kind } of subscription.reversals) {
    const stillClaimed = (claimed.get(saleId) ?? 0) + amount
    claimed.set(saleId, stillClaimed)
    if (amount < 0) await credits.restoreSale(userId, { saleId, restorationId: id, amount: -amount, stillClaimed })
    else if (amount > 0)
      await credits.reverseSale(userId, { saleId, reversalId: id, amount, stillClaimed, reason: kind })
  }
  await credits.forfeitSales(userId, forfeitedSales(subscription))
}

const REFUND_CAUSES = {
  after_end: 'came after the end of the plan.',
  duplicate: 'bought nothing, because the buyer approved another plan after it.',
  withdrawn: 'is of a contract that the buyer withdrew from.',
  cancelled: 'was paid less than 14 days before the user ended its plan immediately.',
  mismatched: 'does not have the agreed price, or paid an order twice, so it granted no credits.',
} as const

/** Shown to the buyer of a sale that Kinora refunds by itself. */
const REFUND_REASON = 'This payment bought nothing. 这笔付款没有购得任何服务。'

/** Time in which a refund is repeated that the provider refused, or whose credits were in use. */
const REFUND_MS = 7 * 24 * 3_600_000

/**
 * Refunds the sale if Kinora may, and none of its credits were used. Otherwise alerts the operator to the proposed refund,
 * while nothing of the sale is taken back by refunds or a chargeback since.
 */
async function settleRefund(
  deps: SettleDeps,
  userId: string,
  subscription: Subscription,
  { saleId, amountCents, currency, cause, automatic, at, takenBefore }: ProposedRefund,
): Promise<Subscription> {
  const code = `refund_proposed ${saleId}`
  const sale = { id: saleId, amountCents, currency }
  if (takenCents(subscription, sale) > takenBefore) {
    await deps.alerts.clear(code)
    return subscription
  }
  let why: string = REFUND_CAUSES[cause]
  if (cause === 'cancelled') {
    const { granted, forfeited } = await deps.credits.unusedOf(userId, saleId)
    const share = granted === 0 ? 0 : Math.floor((amountCents * forfeited) / granted)
    why += ` ${forfeited} of its ${granted} credits were unused: refund ${share / 100} ${currency}.`
  }
  const withdrawal = subscription.withdrawals.find((each) => each.saleId === saleId)
  if (withdrawal)
    why += ` ${withdrawal.usedCredits} of its credits were used: refund ${withdrawal.proposedCents / 100} ${currency}.`
  const hasFailed = ofSale(subscription.reversals, sale).some(({ failed }) => failed)
  const isReached = deps.payments.reaches(saleId)
  const isDue = automatic && isReached && !hasFailed && deps.calendar() < Date.parse(at) + REFUND_MS
  if (!isReached) why += ' Its payment provider is not set up any more.'
  if (hasFailed) why += ' Its refund failed at the provider.'
  if (isDue && (await deps.credits.voidSale(userId, saleId)))
    try {
      const request = { saleId, refundId: `refund-${saleId}`, amountCents, currency, reason: REFUND_REASON }
      const refund = await deps.payments.refund(request)
      if (refund) {
        const { reversalId, reversal: kind } = refund
        const reversed = { saleId, reversalId, amountCents: refund.amountCents, kind }
        await deps.alerts.clear(code)
        return await sendCommand(deps, { type: 'ReportReversal', userId, ...reversed, at: calendarTime(deps) })
      }
    } catch (error) {
      if (error instanceof PaymentProviderDown || isUnreadable(error)) throw error
      why += ` The provider refused to refund it: ${(error as Error).message}.`
    }
  await deps.alerts.raise(code, `Sale ${saleId} of user ${userId} (${amountCents / 100} ${currency}) ${why}`)
  return subscription
}

/** Ends the warnings about sales of which nothing is left to refund. */
async function endFraudWarnings({ alerts }: SettleDeps, subscription: Subscription): Promise<void> {
  for (const sale of [...subscription.sales, ...packSales(subscription)])
    if (takenCents(subscription, sale) === sale.amountCents) await alerts.clear(`fraud_warning ${sale.id}`)
}

const ABANDONED_MS = 3 * 24 * 3_600_000

/** Returns whether the buyer never approved an agreement, which the provider then deletes. */
const isAbandoned = ({ statusAt, periodStart, requestedAt }: Agreement, now: number) =>
  statusAt === null && periodStart === null && Date.parse(requestedAt) < now - ABANDONED_MS

const REACTIVATED = 'The subscription was reactivated.'

/** Returns whether an agreement runs and is not cancelled. */
const isKept = ({ agreements }: Subscription, agreementId: string) =>
  agreements.some((agreement) => agreement.id === agreementId && isRunning(agreement) && agreement.cancelled === 'no')

/** Cancels, pauses or resumes an agreement at the provider if needed. Returns the subscription if it changed. */
async function syncProvider(deps: SettleDeps, userId: string, agreement: Agreement): Promise<Subscription | undefined> {
  const { payments } = deps
  const { id, cancelled, paused } = agreement
  const about = { userId, agreementId: id, at: calendarTime(deps) }
  // With its sales, because reconciliation asks about closed agreements no more.
  const report = async () => {
    await refreshAgreement(deps, id, { reconciles: true })
    return sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
  }
  if (agreement.status === 'ended' && !agreement.closed) {
    const remote = await payments.getAgreement(id)
    // It cannot have sales, and the provider deletes it.
    if (remote?.status === 'pending') return undefined
    // The report of a late approval starts an agreement that expired unapproved.
    const isOver = remote?.status === 'suspended' || (remote?.status === 'active' && !awaitsApproval(agreement))
    if (isOver) await payments.cancelAgreement(id, 'The subscription is over.')
    const isDeleted = remote === undefined && payments.reaches(id)
    if (!isDeleted || !isAbandoned(agreement, deps.calendar())) return report()
    const gone = { status: 'expired', statusAt: about.at, trial: false, periodEnd: null } as const
    return sendCommand(deps, { type: 'ReportStatus', ...about, ...gone })
  }
  if (!isRunning(agreement)) return undefined
  if (cancelled === 'at_period_end' && paused !== 'yes') {
    // Record the intent first, so that the suspension is not mistaken for the provider's own.
    const intended = await sendCommand(deps, { type: 'PauseBilling', ...about })
    if (isKept(intended, id)) return intended
    if ((await payments.getAgreement(id))?.status === 'active') {
      await payments.pauseAgreement(id, 'The subscription was cancelled at the end of its period.')
      // The user can reactivate it during these calls, and another settlement find nothing to resume yet.
      const latest = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
      if (isKept(latest, id)) await payments.resumeAgreement(id, REACTIVATED)
    }
    return report()
  }
  if (cancelled === 'no' && paused !== 'no') {
    if ((await payments.getAgreement(id))?.status === 'suspended') await payments.resumeAgreement(id, REACTIVATED)
    const remote = await payments.getAgreement(id)
    return remote?.status === 'active'
      ? sendCommand(deps, { type: 'ReportResumed', ...about, statusAt: remote.statusAt })
      : report()
  }
  return undefined
}
