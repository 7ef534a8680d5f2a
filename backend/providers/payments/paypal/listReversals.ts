import * as z from 'zod/mini'
import { chargebackIdOf, type ProviderReversal } from '#backend/subscriptions/paymentProvider.port.ts'
import { smallestUnits } from './amounts.ts'
import { type PaypalApi, PaypalRefusal } from './paypalApi.ts'
import { Id } from './paypalShapes.ts'

/** Event codes of transactions that take money back: https://developer.paypal.com/reports/reference/t-codes. */
const CODES = { T1106: 'reversal', T1107: 'refund', T1201: 'reversal' } as const
type Code = keyof typeof CODES

/** Statuses of refunds that were denied, or whose money came back. */
const FAILED = ['D', 'V']

/** PayPal refuses longer periods. */
const MAX_PERIOD_MS = 31 * 24 * 3_600_000
const PAGE_SIZE = '500'

const Transaction = z.object({
  transaction_id: Id,
  paypal_reference_id: z.optional(Id),
  transaction_status: z.string(),
  transaction_amount: z.object({ currency_code: z.string(), value: z.string() }),
})
const Report = z.object({
  transaction_details: z.optional(z.array(z.object({ transaction_info: Transaction }))),
  total_pages: z.optional(z.number()),
})

/**
 * Lists the refunds and chargebacks of the account between two ISO timestamps, which appear up to three hours late:
 * https://developer.paypal.com/docs/api/transaction-search/v1. Returns undefined if the app lacks the permission
 * "Transaction search".
 */
export async function listReversals(api: PaypalApi, from: string, to: string): Promise<ProviderReversal[] | undefined> {
  const reversals: ProviderReversal[] = []
  try {
    for (const period of periodsOf(from, to))
      for (const code of Object.keys(CODES) as Code[]) reversals.push(...(await listPeriod(api, code, period)))
  } catch (error) {
    if (error instanceof PaypalRefusal && error.status === 403) return undefined
    throw error
  }
  return reversals
}

type Period = Readonly<{ start_date: string; end_date: string }>

function* periodsOf(from: string, to: string): Generator<Period> {
  for (let start = Date.parse(from); start < Date.parse(to); start += MAX_PERIOD_MS) {
    const end = Math.min(start + MAX_PERIOD_MS, Date.parse(to))
    yield { start_date: new Date(start).toISOString(), end_date: new Date(end).toISOString() }
  }
}

async function listPeriod(api: PaypalApi, code: Code, period: Period): Promise<ProviderReversal[]> {
  const reversals: ProviderReversal[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { ...period, transaction_type: code, page_size: PAGE_SIZE, page: String(page) }
    const report = await api.get(`/v1/reporting/transactions?${new URLSearchParams(query)}`, Report)
    pages = report.total_pages ?? 1
    for (const { transaction_info } of report.transaction_details ?? [])
      reversals.push(...reversalOf(transaction_info, CODES[code]))
  }
  return reversals
}

/** Returns the reversal of a transaction; none if it is pending or refers to no sale. */
function reversalOf(
  { transaction_id, paypal_reference_id: saleId, transaction_status, transaction_amount }: z.infer<typeof Transaction>,
  reversal: ProviderReversal['reversal'],
): ProviderReversal[] {
  const amountCents = smallestUnits(transaction_amount.value, transaction_amount.currency_code)
  const failed = reversal === 'refund' && FAILED.includes(transaction_status)
  if ((transaction_status !== 'S' && !failed) || !saleId || amountCents === undefined) return []
  const reversalId = reversal === 'refund' ? transaction_id : chargebackIdOf(saleId)
  return [{ saleId, reversalId, amountCents: Math.abs(amountCents), reversal, ...(failed && { failed }) }]
}
