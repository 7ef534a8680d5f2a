import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { monthsAfter } from '#backend/kernel/time.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import { PLANS } from '#backend/subscriptions/contract.ts'
import type { ProviderAgreement, ProviderSale, WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { contextWithin, type SettleDeps } from './settleSubscription.ts'

/** A plan whose payment failed stays for a week: the provider tries again meanwhile. */
const GRACE_MS = 7 * 24 * 3_600_000

export interface NoticeDeps extends SettleDeps {
  /** Who bought what a sale paid for; undefined while the sale is not known. */
  readonly buyerOf: (saleId: string) => Promise<string | undefined>
}

/**
 * What a webhook says becomes what is known of a subscription. Sales and reversals are facts; for all else the provider is
 * asked how things stand now, so that neither the order nor the number of webhooks matters.
 * @returns whose subscription it was; `later`: what it is about is not known yet; null: it concerns nobody here
 */
export async function readNotice(deps: NoticeDeps, subject: WebhookSubject): Promise<string | 'later' | null> {
  switch (subject.kind) {
    case 'other':
      return null
    case 'agreement':
      return catchUp(deps, subject.agreementId)
    case 'payment_failed':
      return catchUp(deps, subject.agreementId, { failedAt: subject.failedAt })
    case 'sale':
      return catchUp(deps, subject.sale.agreementId, { sale: subject.sale })
    case 'reversal': {
      const userId = await deps.buyerOf(subject.saleId)
      if (userId === undefined) return 'later'
      const { saleId, reversalId, amountCents, reversal: kind } = subject
      await give(deps, { type: 'ReportReversal', userId, saleId, reversalId, amountCents, kind, at: now(deps) })
      return userId
    }
  }
}

const now = (deps: SettleDeps) => new Date(deps.now()).toISOString()

const give = async (deps: SettleDeps, command: SubscriptionCommand) =>
  (await deps.handle(subscription, command.userId, command, await contextWithin(deps, command))).state

/** Asks the provider about an agreement and reports all that is new: sales, a failed payment, its status. */
export async function catchUp(
  deps: SettleDeps,
  agreementId: string,
  told: { sale?: ProviderSale; failedAt?: string } = {},
): Promise<string | 'later' | null> {
  const there = await deps.payments.getAgreement(agreementId)
  if (!there?.userId) return null
  const { userId } = there
  const state = await give(deps, { type: 'ApplyDueChanges', userId, at: now(deps) })
  const agreement = state.agreements.find(({ id }) => id === agreementId)
  if (!agreement) return 'later'
  const listed = await deps.payments.listSales(agreementId, agreement.requestedAt, now(deps))
  const sales = new Map([...listed, ...(told.sale ? [told.sale] : [])].map((sale) => [sale.id, sale]))
  const inOrder = [...sales.values()].toSorted((a, b) => (a.soldAt < b.soldAt ? -1 : 1))
  for (const sale of inOrder) await give(deps, saleReport(deps, userId, sale, there, PLANS[agreement.tier].credits))
  for (const failedAt of [told.failedAt, there.failedAt]) {
    if (!failedAt) continue
    const graceUntil = new Date(Date.parse(failedAt) + GRACE_MS).toISOString()
    await give(deps, { type: 'ReportPaymentFailed', userId, agreementId, failedAt, graceUntil, at: now(deps) })
  }
  const { status, statusAt, trial, nextBillingAt: periodEnd } = there
  await give(deps, { type: 'ReportStatus', userId, agreementId, status, statusAt, trial, periodEnd, at: now(deps) })
  return userId
}

/** A bill falls on the same day of the month, or on the last where there is no such day: next month it is up to 3 days later. */
const MONTHS_DIFFER_MS = 4 * 24 * 3_600_000

/** The latest sale pays until the provider's next billing time, an older one for a month. */
function saleReport(
  deps: SettleDeps,
  userId: string,
  { id: saleId, agreementId, amountCents, currency, soldAt }: ProviderSale,
  { nextBillingAt }: ProviderAgreement,
  credits: number,
): SubscriptionCommand {
  const month = monthsAfter(soldAt, 1)
  const isNext =
    nextBillingAt !== null && nextBillingAt > soldAt && Date.parse(nextBillingAt) < Date.parse(month) + MONTHS_DIFFER_MS
  const sale = { saleId, amountCents, currency, credits, soldAt, periodEnd: isNext ? nextBillingAt : month }
  return { type: 'ReportSale', userId, agreementId, ...sale, at: now(deps) }
}

/** Whether a command was refused because what it is about was never asked for here. */
export const isUnknown = (error: unknown): boolean => error instanceof Rejection && error.code.startsWith('unknown_')
