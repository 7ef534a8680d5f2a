import type { InvoiceSettings } from '../../invoices/contents.ts'
import type { Environment } from './environment.ts'
import type { PaymentsConfig } from './paymentsConfig.ts'

/** Reads what invoices say about the seller. Without a name and an address, none is issued. */
export function readInvoices(env: Environment): InvoiceSettings {
  const { SELLER_NAME: name, SELLER_ADDRESS: address, SELLER_VAT_ID: vatId = '' } = env
  const lines = address?.split(';').map((line) => line.trim())
  return {
    seller: name && lines ? { name, address: lines.filter(Boolean), vatId } : undefined,
    taxRate: env.TAX_RATE,
    reverseCharge: env.REVERSE_CHARGE === 'on',
    series: env.INVOICE_SERIES,
    years: env.INVOICE_YEARS,
  }
}

/** Returns what is missing for invoices, a sentence; undefined if nothing is, or nothing is sold. */
export function invoiceFault({
  payments: { tills },
  invoices,
}: Readonly<{ payments: Pick<PaymentsConfig, 'tills'>; invoices: InvoiceSettings }>) {
  if (tills.length === 0 || tills.includes('sandbox') || invoices.seller) return undefined
  return 'SELLER_NAME or SELLER_ADDRESS is not set, so no invoice is issued. Sales are invoiced, in their order, once both are.'
}
