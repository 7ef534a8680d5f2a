import { type ProviderReversal, tillOf } from '#backend/subscriptions/paymentProvider.port.ts'
import { applyReversal, type WebhookDeps } from './applyWebhook.ts'
import type { ForEach } from './forEachAnswered.ts'
import { calendarTime } from './sendCommand.ts'
import { settleSubscription } from './settleSubscription.ts'

/** Period in which lost refund webhooks are found. Longer than any expected outage of the installation. */
const PERIOD_MS = 62 * 24 * 3_600_000

const ALERT = 'refunds_not_listed'
const ALERT_DETAIL =
  'refuses its list of refunds, so lost webhooks of partial refunds are not found. At PayPal, switch on "Transaction search" for the app.'

/**
 * Returns the refunds and chargebacks of the period, and why some providers could not be asked. Alerts the operator if a
 * provider refuses the list.
 */
export async function listReversals({ payments, alerts, calendar }: WebhookDeps) {
  const from = new Date(calendar() - PERIOD_MS).toISOString()
  const { reversals, refusedBy, failures } = await payments.listReversals(from, calendarTime({ calendar }))
  await (refusedBy.length === 0 ? alerts.clear(ALERT) : alerts.raise(ALERT, `${refusedBy.join(', ')} ${ALERT_DETAIL}`))
  return { reversals, failures }
}

/** Applies reversals. Those whose webhook was processed change nothing. Returns those whose sale is not known yet. */
export async function applyReversals(deps: WebhookDeps, reversals: readonly ProviderReversal[], forEach: ForEach) {
  const unmatched: ProviderReversal[] = []
  const apply = async (reversal: ProviderReversal) => {
    const result = await applyReversal(deps, reversal)
    if (typeof result === 'object') await settleSubscription(deps, result.userId)
    else unmatched.push(reversal)
  }
  await forEach(reversals, apply, ({ saleId }) => [tillOf(saleId)])
  return unmatched
}
