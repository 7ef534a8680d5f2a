import * as z from 'zod/mini'
import { type DeskKind, DeskOrder, hasAmount } from '#backend/desk/contract.ts'

const GROUPED = /^\d{1,3}([,\s]\d{3})+(\.\d+)?$/
const PLAIN = /^\d+([.,]\d{1,2})?$/

/** Reads an amount as people type it: `1,000` as the board writes it, or `12,50`. NaN for anything else. */
function amountOf(text: string): number {
  const typed = text.trim()
  if (GROUPED.test(typed)) return Number(typed.replace(/[,\s]/g, ''))
  return PLAIN.test(typed) ? Number(typed.replace(',', '.')) : Number.NaN
}

/** Returns the schema of the form of an act: the amount of a refund is typed in units of its currency. */
export const actForm = (kind: DeskKind, subject: string, id: string) =>
  z.pipe(
    z.transform((values: Readonly<Record<string, string>>): z.input<typeof DeskOrder> => {
      const typed = amountOf(values.amount ?? '')
      const amount = kind === 'refund' ? Math.round(typed * 100) : typed
      return {
        id,
        kind,
        subject,
        reason: values.reason ?? '',
        ...(hasAmount(kind) && { amount }),
        ...(kind === 'change_address' && { address: values.address ?? '' }),
      }
    }),
    DeskOrder,
  )
