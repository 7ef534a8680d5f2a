import { lapsesAt, type Pack } from '#backend/subscriptions/packs.rules.ts'
import { alertUnreadable, type RefreshDeps, type WebhookResult } from './refreshAgreement.ts'
import { calendarTime, sendCommand } from './sendCommand.ts'

/** Reads an order from the provider, which takes the money if the buyer has approved it, and reports its sale. */
export async function refreshOrder(deps: RefreshDeps, orderId: string): Promise<WebhookResult> {
  const remote = await deps.payments.collectOrder(orderId)
  if (!remote?.userId) return 'ignored'
  const { userId, sale } = remote
  if (!sale) return { userId }
  const { id: saleId, amountCents, ...sold } = sale
  if (amountCents === undefined) await alertUnreadable(deps, userId, saleId)
  else {
    const paid = { agreementId: orderId, saleId, amountCents, ...sold }
    await sendCommand(deps, { type: 'ReportPackSale', userId, ...paid, at: calendarTime(deps) })
  }
  return { userId }
}

/** Asks the provider about an unpaid order, whose webhook can be lost, and lets it lapse in the end. */
export async function settleOrder(deps: RefreshDeps, userId: string, pack: Pack): Promise<void> {
  const { id } = pack
  await refreshOrder(deps, id)
  if (deps.calendar() >= lapsesAt(pack))
    await sendCommand(deps, { type: 'LapsePack', userId, agreementId: id, at: calendarTime(deps) })
}
