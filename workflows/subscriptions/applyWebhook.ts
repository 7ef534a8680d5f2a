import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import type { Subscription } from '#backend/subscriptions/agreements.rules.ts'
import { packSales } from '#backend/subscriptions/packs.rules.ts'
import type { ProviderReversal, WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import { undoneBy } from '#backend/subscriptions/reversals.rules.ts'
import { refreshAgreement, type WebhookResult } from './refreshAgreement.ts'
import { refreshOrder } from './refreshOrder.ts'
import { calendarTime, sendCommand } from './sendCommand.ts'
import type { SettleDeps } from './settleSubscription.ts'

export interface WebhookDeps extends SettleDeps {
  /** Returns the id of the user who paid for a sale, or undefined if the sale is unknown. */
  readonly findBuyer: (saleId: string) => Promise<string | undefined>
}

/**
 * Applies a webhook to its subscription. A webhook only names what to ask the provider about, so webhooks may arrive in any
 * order, more than once, or be forged. See docs/decisions/0056-the-providers-word.md.
 */
export const applyWebhook = (deps: WebhookDeps, subject: WebhookSubject): Promise<WebhookResult> =>
  orLater(apply(deps, subject))

/** Applies a reversal that the provider lists. One that was applied changes nothing. */
export const applyReversal = (deps: WebhookDeps, listed: ProviderReversal): Promise<WebhookResult> =>
  orLater(reverse(deps, listed))

const orLater = (applied: Promise<WebhookResult>): Promise<WebhookResult> =>
  applied.catch((error) => {
    if (error instanceof Rejection && error.code.startsWith('unknown_')) return 'later'
    throw error
  })

async function apply(deps: WebhookDeps, subject: WebhookSubject): Promise<WebhookResult> {
  switch (subject.kind) {
    case 'other':
      return 'ignored'
    case 'agreement':
    case 'payment_failed':
      return refreshAgreement(deps, subject.agreementId)
    case 'order':
      return refreshOrder(deps, subject.orderId)
    case 'sale':
      return refreshAgreement(deps, subject.sale.agreementId, { saleId: subject.sale.id })
    case 'reversal': {
      const isKnown = (await deps.findBuyer(subject.saleId)) !== undefined
      const found = isKnown ? await deps.payments.getReversal(subject) : undefined
      return found ? reverse(deps, found) : 'later'
    }
    case 'fraud_warning': {
      const warning = await deps.payments.getFraudWarning?.(subject.warningId)
      // The sale was refunded or disputed before the warning was read.
      if (!warning) return 'ignored'
      const userId = await deps.findBuyer(warning.saleId)
      if (userId === undefined) return 'later'
      const detail = `The bank of the buyer takes sale ${warning.saleId} of user ${userId} for fraud. A refund now avoids a chargeback.`
      await deps.alerts.raise(`fraud_warning ${warning.saleId}`, detail)
      return { userId }
    }
    case 'dispute': {
      const { disputeId } = subject
      const found = await deps.payments.getDispute(disputeId)
      let result: WebhookResult = 'later'
      if (!found) return 'later'
      const { outcome, statusAt, dueAt, saleIds } = found
      for (const saleId of saleIds) {
        const userId = await deps.findBuyer(saleId)
        if (userId === undefined) continue
        const dispute = { userId, saleId, disputeId, outcome, statusAt, ...(dueAt && { dueAt }) }
        await sendCommand(deps, { type: 'ReportDispute', ...dispute, at: calendarTime(deps) })
        result = { userId }
      }
      return result
    }
  }
}

async function reverse(deps: WebhookDeps, listed: ProviderReversal): Promise<WebhookResult> {
  const { saleId, reversalId, amountCents, reversal: kind, failed } = listed
  const userId = await deps.findBuyer(saleId)
  if (userId === undefined) return 'later'
  // Whether a refund ends the plan depends on the sales after it, whose webhooks can be late.
  const state = await sendCommand(deps, { type: 'ApplyDueChanges', userId, at: calendarTime(deps) })
  if (failed) {
    if (undoneBy(state, saleId, reversalId).length > 0) await restore(deps, userId, listed)
    await openCase(deps, userId, state, listed)
    return { userId }
  }
  if (state.reversals.some(({ id }) => id === reversalId)) return { userId }
  const sale = state.sales.find(({ id }) => id === saleId)
  if (sale) await refreshAgreement(deps, sale.agreementId)
  const reversal = { userId, saleId, reversalId, amountCents, kind }
  await sendCommand(deps, { type: 'ReportReversal', ...reversal, at: calendarTime(deps) })
  return { userId }
}

/** Gives back what a refund claimed that failed later. The operator has to refund the sale in another way. */
async function restore(deps: WebhookDeps, userId: string, { saleId, reversalId }: ProviderReversal): Promise<void> {
  const detail =
    `Refund ${reversalId} of sale ${saleId} of user ${userId} failed at the payment provider. ` +
    'Credits that it claimed are given back, but not those that were forfeited, or taken to make it.'
  // Before the report, because a failure that is reported is not looked at again.
  await deps.alerts.raise(`refund_failed ${reversalId}`, detail)
  await sendCommand(deps, { type: 'ReportFailedRefund', userId, saleId, reversalId, at: calendarTime(deps) })
}

/**
 * Opens a case for a refund that failed, once. One that was pending when an operator made it was never reported, so
 * nothing else says that the buyer does not get the money.
 */
async function openCase(
  { cases }: WebhookDeps,
  userId: string,
  state: Subscription,
  { saleId, reversalId, amountCents: amount }: ProviderReversal,
): Promise<void> {
  const sale = [...state.sales, ...packSales(state)].find(({ id }) => id === saleId)
  const paid = sale && { amount, currency: sale.currency }
  await cases.open({ kind: 'failed_refund', subject: reversalId, source: reversalId, userId, saleId, ...paid })
}
