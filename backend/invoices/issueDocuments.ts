import en from '#content/en/documents.json' with { type: 'json' }
import enPlans from '#content/en/plans.json' with { type: 'json' }
import zh from '#content/zh/documents.json' with { type: 'json' }
import zhPlans from '#content/zh/plans.json' with { type: 'json' }
import type { DueDocument } from '#projections/subscriptions/readInvoiceDocuments.ts'
import {
  hasDueDocuments,
  readDueDocuments,
  readIssuedDocument,
  readRecentDocuments,
} from '#projections/subscriptions/readInvoiceDocuments.ts'
import { bySystem } from '../kernel/eventsourcing/command.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar } from '../kernel/time.ts'
import type { BillingDetails } from './contract.ts'
import { aboutDocument, type InvoiceDocument, type Party, type PrintedDocument, yearOf } from './document.contract.ts'
import { BOOK, type InvoiceCommand, invoiceBook } from './invoiceBook.decider.ts'
import { printDocument } from './pdf/printDocument.ts'
import { isReverseCharge, taxOfChange } from './tax.rules.ts'

/** What the operator has set about invoices. */
export interface InvoiceSettings {
  /** Undefined until it is set: no document is issued before. */
  readonly seller: Party | undefined
  /** Percent that prices include. */
  readonly taxRate: number
  /** Whether buyers with a VAT id of another member state of the EU owe the tax. */
  readonly reverseCharge: boolean
  readonly series: string
  /** Years for which documents are kept after the year of their issue. */
  readonly years: number
}

type About = Readonly<{ purpose: string; userId: string; row: string }>
type Language = InvoiceDocument['language']
type Buyer = Readonly<{ language: Language; fullName: string; details: BillingDetails }>
type Mail = Readonly<{ kind: 'invoiceIssued' | 'creditNoteIssued'; number: string; amount: string; page: string }>

export interface IssuingDeps {
  readonly database: Database
  readonly changes: Pick<Changes, 'waitFor'>
  readonly handle: Handle
  readonly calendar: Calendar
  readonly settings: InvoiceSettings
  /** Encryption that outlives accounts, with a key per year. */
  readonly keys: {
    encrypt(year: number, about: About, text: string): Promise<string>
    decrypt(year: number, about: About, sealed: string): Promise<string | undefined>
  }
  /** Returns undefined if the account was deleted. */
  readonly readBuyer: (userId: string) => Promise<Buyer | undefined>
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

const LOCALES = { en: 'en', zh: 'zh-CN' }
const TEXTS = { en: { ...en, tier: enPlans.tier }, zh: { ...zh, tier: zhPlans.tier } }

/** Describes what was sold, a line each. */
function itemOf({ tier, pack, credits, period_start, period_end }: DueDocument, language: Language): string[] {
  const t = TEXTS[language]
  const day = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
  const [start, end] = [period_start, period_end].map((instant) => day.format(new Date(instant)))
  return [
    pack === null && tier ? t.plan.replace('{{plan}}', t.tier[tier].name) : t.pack,
    t.credits.replace('{{credits}}', credits.toLocaleString(LOCALES[language])),
    ...(pack === null ? [t.period.replace('{{start}}', start!).replace('{{end}}', end!)] : []),
  ]
}

const partyOf = ({ fullName, details: { name, address, country, vat_id } }: Buyer): Party => ({
  name: name || fullName,
  address: [...address.split('\n'), country].filter(Boolean),
  vatId: vat_id,
})

export type Invoicing = ReturnType<typeof createInvoicing>

/** Creates the service that issues, mails and prints invoices and credit notes. */
export function createInvoicing(deps: IssuingDeps) {
  const { database, changes, handle, calendar, settings, keys, readBuyer, mails } = deps

  const open = async ({ id, user_id, sealed, issued_at }: NonNullable<DueDocument['first']>) => {
    const text = await keys.decrypt(yearOf(issued_at), aboutDocument(id, user_id), sealed)
    return text === undefined ? undefined : (JSON.parse(text) as InvoiceDocument)
  }

  /** Returns the content of the first document of a sale. */
  async function compose(due: DueDocument, seller: Party): Promise<InvoiceDocument> {
    const buyer = await readBuyer(due.user_id)
    const language = buyer?.language ?? 'en'
    const reverseCharge = settings.reverseCharge && isReverseCharge(seller.vatId, buyer?.details.vat_id ?? '')
    return {
      ...{ language, seller, buyer: buyer ? partyOf(buyer) : null, item: itemOf(due, language) },
      ...{ suppliedAt: due.period_start, amountCents: due.amount_cents, currency: due.currency },
      ...{ rate: reverseCharge ? 0 : settings.taxRate, reverseCharge, taxCents: 0 },
    }
  }

  /** Numbers a document. Returns its place in the log; undefined if its content cannot be read any more. */
  async function issue(due: DueDocument, seller: Party) {
    const { id: documentId, user_id: userId, sale_id: saleId, kind, source_id, standing, first, amount_cents } = due
    const at = new Date(calendar()).toISOString()
    // A refund has the parties and the rate of its invoice.
    const content = kind === 'sale' ? await compose(due, seller) : first && (await open(first))
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

  const unmailed = async () => {
    const [issuedAfter, bookedAfter] = [MAILED_MS, NEWS_MS].map((ms) => new Date(calendar() - ms))
    const recent = await readRecentDocuments(database, issuedAfter!, bookedAfter!)
    return mails.unsent(recent.map(({ id, user_id: userId, number }) => ({ id, userId, key: `document ${number}` })))
  }

  async function print(id: string, userId: string) {
    const issued = await readIssuedDocument(database, id)
    const content = issued?.user_id === userId ? await open(issued) : undefined
    if (!issued || !content) return undefined
    const { kind, number, issued_at: issuedAt, about } = issued
    const printed: PrintedDocument = {
      ...content,
      kind: kind === 'reversal' ? 'credit_note' : 'invoice',
      number,
      issuedAt,
      about,
    }
    return { document: printed, saleId: issued.sale_id, pdf: await printDocument(printed) }
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
        const found = await print(id, userId)
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
      const found = await print(id, userId)
      return found && { name: `${found.document.number}.pdf`, pdf: found.pdf }
    },
  }
}
