import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'
import { cleanLine, cleanText, MAX_TYPED } from '../kernel/text/typedText.contract.ts'

/** A text that may be empty. A longer one is refused before it is cleaned. */
const typed = (max: number, clean: (text: string) => string) =>
  z
    .string()
    .check(z.maxLength(MAX_TYPED, { error: 'too_long', abort: true }), z.overwrite(clean), z.maxLength(max, 'too_long'))
const lines = (text: string) => cleanText(text).trim()
const vatId = (text: string) => cleanLine(text).replace(/[ .-]/g, '').toUpperCase()

/** Buyer of the invoices that are issued from now on. Every field may be empty. */
export const BillingDetails = z.object({
  /** Instead of the account's name. */
  name: z._default(typed(120, cleanLine), ''),
  /** Lines without the country. */
  address: z._default(typed(300, lines).check(z.refine((text) => text.split('\n').length <= 6, 'too_long')), ''),
  country: z._default(typed(60, cleanLine), ''),
  /** With the prefix of its country, such as DE123456789. */
  vat_id: z._default(typed(60, vatId).check(z.regex(/^(?:[A-Z]{2}[0-9A-Z]{2,13})?$/, 'invalid_vat_id')), ''),
})
export type BillingDetails = z.infer<typeof BillingDetails>

export const billingDetails = endpoint('GET /subscriptions/billing-details', {
  access: 'user',
  answer: BillingDetails,
  summary: 'What invoices say about the buyer',
})

export const saveBillingDetails = endpoint('PUT /subscriptions/billing-details', {
  access: 'user',
  body: BillingDetails,
  answer: BillingDetails,
  summary: 'Sets what invoices say about the buyer. Issued invoices stay as they are',
})

export const invoicePdf = endpoint('GET /subscriptions/invoices/:id.pdf', {
  access: 'user',
  file: 'application/pdf',
  refuses: ['not_found'],
  summary: 'An invoice or credit note of the user as a PDF',
})
