import { lapsesAt, type Pack } from '#backend/subscriptions/packs.rules.ts'
import { alertUnreadable, type RefreshDeps, type WebhookResult } from './refreshAgreement.ts'
import { calendarTime, sendCommand } from './sendCommand.ts'

/** Reads an order from the provider, which takes the money if the buyer has approved it, and reports its sale. */
export async function refreshOrder(deps: RefreshDeps, orderId: string): Promise<WebhookResult> {
  const remote = await deps.payments.collectOrder(orderId, async (userId) => {
    await sendCommand(deps, { type: 'CollectPack', userId, agreementId: orderId, at: calendarTime(deps) })
  })
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
  // What became of it cannot be known until its provider is set up again.
  if (!deps.payments.reaches(id)) return
  const isOver = deps.calendar() >= lapsesAt(pack)
  // Closed before the last question, so that the buyer cannot pay after it.
  if (isOver) await deps.payments.closeOrder(id)
  await refreshOrder(deps, id)
  if (isOver) await sendCommand(deps, { type: 'LapsePack', userId, agreementId: id, at: calendarTime(deps) })
}
