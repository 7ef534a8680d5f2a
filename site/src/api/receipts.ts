import { type Receipt, type ReceiptEvent, receipt } from '#backend/audit/receipts/contract.ts'
import { pageLocale, translate } from '../i18n/client.ts'
import { HTML_LANG } from '../i18n/core.ts'
import { addressOf, call } from './api.ts'

export type { Receipt, ReceiptEvent }

/** Loads the receipt of a film of the user. @throws ApiError */
export const readReceipt = (taskId: string): Promise<Receipt> => call(receipt, { params: { taskId } })

/** Address of a receipt with the texts that its hashes cover, for its owner. */
export const receiptAddress = (taskId: string): string => addressOf(receipt.path, { taskId }, { texts: 'true' })

/** Events that the page has a text for. A newer server may list others. */
const KNOWN = [
  'CreditsHeld',
  'VideoTaskSubmitted',
  'VideoRenderRequested',
  'VideoTaskSucceeded',
  'VideoTaskRecovered',
  'VideoTaskFailed',
  'VideoTaskAbandoned',
  'VideoTaskDeleted',
  'CreditsCaptured',
  'CreditsReleased',
] as const
const isKnown = (type: string): type is (typeof KNOWN)[number] => (KNOWN as readonly string[]).includes(type)

/** Returns what an event of a receipt says. Sizes and versions are names, not amounts. */
export function eventText({ type, facts }: ReceiptEvent): string {
  if (!isKnown(type)) return type
  const maker = facts.engine_model ?? facts.engine ?? ''
  const variables = Object.entries({ ...facts, maker }).map(([name, value]) => [name, String(value ?? '')] as const)
  return translate()(`receipt.event.${type}`, Object.fromEntries(variables))
}

/** Formats a time of the ledger with seconds. */
export const momentText = (iso: string): string =>
  new Intl.DateTimeFormat(HTML_LANG[pageLocale()], { dateStyle: 'medium', timeStyle: 'medium' }).format(Date.parse(iso))
