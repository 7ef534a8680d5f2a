import {
  type DueDocument,
  hasDueDocuments,
  readDueDocuments,
  readRecentDocuments,
} from '#projections/subscriptions/readInvoiceDocuments.ts'
import { bySystem } from '../kernel/eventsourcing/command.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Calendar } from '../kernel/time.ts'
import { type ContentDeps, createContents } from './contents.ts'
import { aboutDocument, type Party, yearOf } from './document.contract.ts'
import { BOOK, type InvoiceCommand, invoiceBook } from './invoiceBook.decider.ts'
import { taxOfChange } from './tax.rules.ts'

type Mail = Readonly<{ kind: 'invoiceIssued' | 'creditNoteIssued'; number: string; amount: string; page: string }>

export interface IssuingDeps extends ContentDeps {
  readonly changes: Pick<Changes, 'waitFor'>
  readonly handle: Handle
  readonly calendar: Calendar
  readonly mails: {
    /** Returns those of the mails that were not sent. */
    unsent<T extends { readonly userId: string; readonly key: string }>(mails: readonly T[]): Promise<T[]>
    /** Mails a user a document, at most once per key. */
    send(userId: string, key: string, mail: Mail, pdf: Uint8Array): Promise<void>
  }
}

const BATCH = 100
const DAY_MS = 24 * 3_600_000
/** Time after its issue in which a document is mailed. */
const MAILED_MS = 3 * DAY_MS
/** Documents of older sales are not mailed: they were sold before the seller was set. */
const NEWS_MS = 30 * DAY_MS

/** Creates the function that numbers a document. It returns its place in the log; undefined if its content cannot be read any more. */
function createIssue({ handle, calendar, settings, keys }: IssuingDeps, contents: ReturnType<typeof createContents>) {
  return async (due: DueDocument, seller: Party) => {
    const { id: documentId, user_id: userId, sale_id: saleId, kind, source_id, standing, first, amount_cents } = due
    const at = new Date(calendar()).toISOString()
    // A refund has the parties and the rate of its invoice.
    const content = kind === 'sale' ? await contents.compose(due, seller) : first && (await contents.open(first))
    if (!content) return undefined
    const after = standing + (kind === 'reversal' ? -amount_cents : amount_cents)
    const taxCents = taxOfChange(standing, after, content.rate)
    const document = { ...content, amountCents: amount_cents, taxCents }
    const sealed = await keys.encrypt(yearOf(at), aboutDocument(documentId, userId), JSON.stringify(document))
    const { currency } = document
    const data = {
      series: settings.series,
      documentId,
      userId,
      saleId,
      amountCents: amount_cents,
      taxCents,
      currency,
      sealed,
      at,
    }
    const about = first && { invoice: first.number }
    const command: InvoiceCommand =
      kind === 'reversal'
        ? { type: 'IssueCreditNote', ...data, reversalId: source_id, invoice: first!.number }
        : { type: 'IssueInvoice', ...data, ...(kind === 'restoration' && { restorationId: source_id, ...about }) }
    return (await handle(invoiceBook, BOOK, command, bySystem('issue document', documentId))).position
  }
}

export type Invoicing = ReturnType<typeof createInvoicing>

/** Creates the service that issues, mails and prints invoices and credit notes. */
export function createInvoicing(deps: IssuingDeps) {
  const { database, changes, calendar, settings, mails } = deps
  const contents = createContents(deps)
  const issue = createIssue(deps, contents)

  const unmailed = async () => {
    const [issuedAfter, bookedAfter] = [MAILED_MS, NEWS_MS].map((ms) => new Date(calendar() - ms))
    const recent = await readRecentDocuments(database, issuedAfter!, bookedAfter!)
    return mails.unsent(recent.map(({ id, user_id: userId, number }) => ({ id, userId, key: `document ${number}` })))
  }

  return {
    /** Returns whether a document is to be issued or mailed. */
    isDue: async () =>
      settings.seller !== undefined && ((await hasDueDocuments(database)) || (await unmailed()).length > 0),

    /** Issues and mails what is due, in the order of the log. Repeating it changes nothing. Returns whether more is due. */
    async issueDue(): Promise<boolean> {
      const { seller } = settings
      if (!seller) return false
      const due = await readDueDocuments(database, BATCH)
      let position: Awaited<ReturnType<typeof issue>>
      for (const document of due) {
        if (document.kind !== 'sale' && !document.first) break
        position = (await issue(document, seller)) ?? position
      }
      await changes.waitFor(['invoiceDocuments'], position)
      for (const { id, userId, key } of await unmailed()) {
        const found = await contents.print(id, userId)
        if (!found) continue
        const { document, pdf, saleId } = found
        const { kind, number, currency, amountCents } = document
        const amount = `${currency} ${(amountCents / 100).toFixed(2)}`
        const page = `profile/invoice?id=${derivedId('sale', saleId)}`
        const mail = { kind: kind === 'invoice' ? 'invoiceIssued' : 'creditNoteIssued', number, amount, page } as const
        await mails.send(userId, key, mail, pdf)
      }
      return position !== undefined
    },

    /** Returns an issued document of a user as a PDF; undefined if there is none. */
    async pdf(id: string, userId: string) {
      const found = await contents.print(id, userId)
      return found && { name: `${found.document.number}.pdf`, pdf: found.pdf }
    },
  }
}
