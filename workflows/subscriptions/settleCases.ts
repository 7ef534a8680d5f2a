import type { CaseKind, CaseOutcome } from '#backend/cases/contract.ts'
import type { Opening } from '#backend/cases/events.ts'
import type { Subscription } from '#backend/subscriptions/agreements.rules.ts'
import { packSales } from '#backend/subscriptions/packs.rules.ts'
import { isTakenSince } from '#backend/subscriptions/reversals.rules.ts'
import { takenCents } from '#backend/subscriptions/takenBack.rules.ts'

/** Opens and ends the cases of operators. */
export interface CaseDoor {
  open(opening: Opening): Promise<unknown>
  settle(kind: CaseKind, subject: string, outcome: CaseOutcome): Promise<void>
}

type Wanted = Readonly<{
  opening: Opening /** How the log ended it; undefined: it is open. */
  outcome?: CaseOutcome | undefined
}>

/** Opens a case for each thing of a user's payments that an operator should decide, and ends those that are settled. */
export async function settleCases(cases: CaseDoor, userId: string, subscription: Subscription): Promise<void> {
  for (const { opening, outcome } of casesOf(userId, subscription))
    if (outcome) await cases.settle(opening.kind, opening.subject, outcome)
    else await cases.open(opening)
}

const KINDS: Readonly<Record<string, CaseKind>> = { mismatched: 'mismatch', withdrawn: 'withdrawal' }

function casesOf(userId: string, subscription: Subscription): readonly Wanted[] {
  const { proposedRefunds, withdrawals, disputes, reversals, packs, sales } = subscription
  const all = [...sales, ...packSales(subscription), ...proposedRefunds.map((each) => ({ ...each, id: each.saleId }))]
  const about = (saleId: string) => {
    const sale = all.find(({ id }) => id === saleId)
    const amountOf = sale && { amount: sale.amountCents, currency: sale.currency }
    return { userId, saleId, ...amountOf }
  }
  /** A case that ends when more of its sale is taken back than before. */
  const refundable = (opening: Opening, takenBefore = 0): Wanted => {
    const { saleId = '', amount = 0 } = opening
    const isTaken = takenCents(subscription, { id: saleId, amountCents: amount }) > takenBefore
    return { opening, outcome: isTaken ? 'refunded' : undefined }
  }
  /** A case that ends when the sale is refunded again: parts that were refunded before do not count. */
  const failedRefund = (opening: Opening): Wanted => {
    const { subject, saleId = '', amount } = opening
    const isWhole = amount !== undefined && takenCents(subscription, { id: saleId, amountCents: amount }) === amount
    const isTaken = isWhole || isTakenSince(subscription, saleId, subject)
    return { opening, outcome: isTaken ? 'refunded' : undefined }
  }
  return [
    ...proposedRefunds.map(({ saleId, cause, at, takenBefore }) =>
      refundable(
        { kind: KINDS[cause] ?? 'refund', subject: saleId, source: at, ...about(saleId), detail: cause },
        takenBefore,
      ),
    ),
    ...withdrawals.map(({ saleId, at, proposedCents }) =>
      refundable({ kind: 'withdrawal', subject: saleId, source: at, ...about(saleId), detail: `${proposedCents}` }),
    ),
    ...packs
      .filter(({ late, status }) => late && status === 'paid')
      .map(({ saleId, id }) =>
        refundable({ kind: 'late_payment', subject: saleId ?? id, source: id, ...about(saleId ?? '') }),
      ),
    ...reversals
      .filter(({ failed, kind }) => failed && kind === 'refund')
      .map(({ id, saleId }) => failedRefund({ kind: 'failed_refund', subject: id, source: id, ...about(saleId) })),
    ...disputes.map(({ id, saleId, outcome, statusAt, dueAt }) => ({
      opening: { kind: 'dispute' as const, subject: id, source: statusAt, ...about(saleId), ...(dueAt && { dueAt }) },
      outcome: outcome === 'open' ? undefined : outcome,
    })),
  ]
}
