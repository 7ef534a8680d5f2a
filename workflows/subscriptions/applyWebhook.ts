import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import type { WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import { refreshAgreement, type WebhookResult } from './refreshAgreement.ts'
import { calendarTime, sendCommand } from './sendCommand.ts'
import type { SettleDeps } from './settleSubscription.ts'

export interface WebhookDeps extends SettleDeps {
  /** Returns the id of the user who paid for a sale, or undefined if the sale is unknown. */
  readonly findBuyer: (saleId: string) => Promise<string | undefined>
}

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
