import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'
import { cleanLine, cleanText } from '../kernel/text/typedText.contract.ts'

const line = (max: number) => z._default(z.string().check(z.overwrite(cleanLine), z.maxLength(max, 'too_long')), '')

/** Buyer of the invoices that are issued from now on. Every field may be empty. */
export const BillingDetails = z.object({
  /** Instead of the account's name. */
  name: line(120),
  /** Lines without the country. */
  address: z._default(
    z.string().check(
      z.overwrite((text) => cleanText(text).trim()),
      z.maxLength(300, 'too_long'),
      z.refine((text) => text.split('\n').length <= 6, 'too_long'),
    ),
    '',
  ),
  country: line(60),
  /** With the prefix of its country, such as DE123456789. */
  vat_id: z._default(
    z.string().check(
      z.overwrite((text) => cleanLine(text).replace(/[ .-]/g, '').toUpperCase()),
      z.regex(/^(?:[A-Z]{2}[0-9A-Z]{2,13})?$/, 'invalid_vat_id'),
    ),
    '',
  ),
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
