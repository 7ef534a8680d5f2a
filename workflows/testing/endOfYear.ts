import { creditAccount } from '#backend/credits/creditAccount.decider.ts'
import type { CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { MemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { Reversal } from '#backend/subscriptions/agreements.rules.ts'
import type { PaymentWebhook } from '#backend/subscriptions/paymentProvider.port.ts'
import { applyWebhook } from '../subscriptions/applyWebhook.ts'
import { settleSubscription } from '../subscriptions/settleSubscription.ts'
import { type startPaymentProcess, userId } from './paymentProcess.ts'

const DAY_MS = 24 * 3_600_000

/** Processes webhooks in this order and returns the state after the end of the period. */
export async function endOfYear(
  { store, clock, known, deps }: Awaited<ReturnType<typeof startPaymentProcess>>,
  arriving: readonly Readonly<{ headers: Record<string, string>; body: Buffer }>[],
) {
  const [till] = deps.payments.webhooks
  const seen = new Set<string>()
  const inbox = new Map<string, PaymentWebhook>()
  const process = async (webhook: PaymentWebhook) => {
    if ((await applyWebhook(deps, webhook.subject)) === 'later') return
    inbox.delete(webhook.id)
    await settleSubscription(deps, userId)
  }
  let forged = 0
  for (const { headers, body } of arriving) {
    const webhook = await till!.verify(headers, body)
    if (!webhook) forged++
    if (!webhook || seen.has(webhook.id)) continue
    seen.add(webhook.id)
    inbox.set(webhook.id, webhook)
    await process(webhook)
  }
  for (const webhook of [...inbox.values()]) await process(webhook)
  const { left } = accountIn(store)
  clock.now += 40 * DAY_MS
  await settleSubscription(deps, userId)

  const { agreements, sales, reversals } = await known()
  const { granted, lots, debt } = accountIn(store)
  const ids = store.log.map(({ id }) => id)
  return {
    state: { agreements, sales: byId(sales), claims: claimsOf(reversals), lots: byId(lots), debt, left },
    granted: granted.toSorted(),
    forged,
    unread: inbox.size,
    isEachStoredOnce: new Set(ids).size === ids.length,
  }
}

function accountIn({ log }: MemoryEventStore) {
  const ledger = log.filter(({ stream }) => stream.startsWith('creditAccount-')) as Stored<CreditAccountEvent>[]
  const { lots, closed, debt } = ledger.reduce(creditAccount.evolve, creditAccount.initial)
  return {
    granted: ledger.flatMap(({ type, data }) => (type === 'CreditLotGranted' ? [data.lotId] : [])),
    lots: lots.map(({ id, left }) => ({ id, left })),
    closed: byId(closed),
    left: lots.reduce((sum, lot) => sum + lot.left, 0),
    debt,
  }
}

/** Sums the claims by sale. A chargeback that is reported after its dispute was won claims nothing. */
const claimsOf = (reversals: readonly Reversal[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(reversals, ({ saleId }) => saleId))
      .map(([saleId, all]) => [saleId, all!.reduce((sum, { credits }) => sum + credits, 0)] as const)
      .filter(([, credits]) => credits !== 0),
  )

const byId = <T extends { id: string }>(all: readonly T[]) => all.toSorted((a, b) => a.id.localeCompare(b.id))
