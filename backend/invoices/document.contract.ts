import type { Language } from '../accounts/contract.ts'

/** Seller or buyer, as printed. */
export interface Party {
  readonly name: string
  readonly address: readonly string[]
  /** Empty if there is none. */
  readonly vatId: string
}

/** The content of an invoice or a credit note, frozen when it is issued. Amounts are integer cents and include tax. */
export interface InvoiceDocument {
  readonly language: Language
  readonly seller: Party
  /** Null if the account was deleted before. */
  readonly buyer: Party | null
  /** What was sold, in the buyer's language. */
  readonly item: readonly string[]
  readonly suppliedAt: string
  readonly amountCents: number
  readonly taxCents: number
  readonly currency: string
  /** Tax rate in percent. */
  readonly rate: number
  /** Whether the buyer owes the tax. */
  readonly reverseCharge: boolean
}

/** Returns the year whose key encrypts a document that was issued at this instant. */
export const yearOf = (issuedAt: string): number => new Date(issuedAt).getUTCFullYear()

/** Returns what the encryption of a document's content authenticates. */
export const aboutDocument = (documentId: string, userId: string) => ({ purpose: 'invoice', userId, row: documentId })

/** An issued document, as printed. */
export interface PrintedDocument extends InvoiceDocument {
  readonly kind: 'invoice' | 'credit_note'
  readonly number: string
  readonly issuedAt: string
  /** Number of the invoice that a credit note, or the invoice of a won dispute, is about; null for the first one of a sale. */
  readonly about: string | null
}
