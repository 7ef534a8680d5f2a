import { atom } from 'nanostores'
import { type BillingDetails, billingDetails, saveBillingDetails } from '#backend/invoices/contract.ts'
import { type Invoice, invoices, withdrawSale } from '#backend/subscriptions/contract.ts'
import { call } from '../../api/api.ts'
import { loadPlan } from '../../api/plans/subscription.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { money } from '../../i18n/money.ts'
import { pagedList } from '../../ui/lists/pagedList.ts'
import { showToast } from '../../ui/toasts/toasts.ts'

const PER_PAGE = 8
/** Maximum page size that the API accepts. */
const PER_PAGE_MAX = 100

export const invoiceList = pagedList<Invoice>(PER_PAGE, async (page) => {
  const answer = await call(invoices, { query: { page, per_page: PER_PAGE } })
  return { items: answer.invoices, total: answer.total }
})

/** What invoices say about the buyer; null while loading. */
export const $billingDetails = atom<BillingDetails | 'failed' | null>(null)

export const loadBillingDetails = (): Promise<void> =>
  call(billingDetails).then(
    (details) => $billingDetails.set(details),
    () => {
      if (!$billingDetails.get()) $billingDetails.set('failed')
    },
  )

export async function saveDetails(details: BillingDetails): Promise<void> {
  $billingDetails.set(await call(saveBillingDetails, { body: details }))
}

/** Withdraws from the contract of a payment. @throws ApiError */
export async function withdraw({ payment }: Invoice): Promise<void> {
  const { refund, currency } = await call(withdrawSale, { body: { payment } })
  const amount = money(refund, currency, pageLocale())
  showToast('success', translate()('billing.withdraw.done', { amount }))
  await Promise.all([invoiceList.again(), loadPlan()])
}

/** Finds an invoice of the user by id. Returns undefined if there is none. @throws ApiError */
export async function findInvoice(id: string): Promise<Invoice | undefined> {
  for (let page = 1; ; page++) {
    const answer = await call(invoices, { query: { page, per_page: PER_PAGE_MAX } })
    const found = answer.invoices.find((invoice) => invoice.id === id)
    if (found || page * PER_PAGE_MAX >= answer.total) return found
  }
}

/** Returns the name of what was sold. */
export function soldText({ tier }: Invoice): string {
  const t = translate()
  return tier ? t(`plans.tier.${tier}.name`) : t('billing.pack')
}

const METHODS = ['paypal', 'stripe'] as const

/** Returns the name of the payment provider. */
export function methodText({ payment_method }: Invoice): string {
  const known = METHODS.find((method) => method === payment_method)
  return known ? translate()(`billing.${known}`) : payment_method
}
