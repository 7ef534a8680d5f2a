import en from '#content/en/documents.json' with { type: 'json' }
import enPlans from '#content/en/plans.json' with { type: 'json' }
import zh from '#content/zh/documents.json' with { type: 'json' }
import zhPlans from '#content/zh/plans.json' with { type: 'json' }
import { type DueDocument, readIssuedDocument } from '#projections/subscriptions/readInvoiceDocuments.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { BillingDetails } from './contract.ts'
import { aboutDocument, type InvoiceDocument, type Party, type PrintedDocument, yearOf } from './document.contract.ts'
import { printDocument } from './pdf/printDocument.ts'
import { isReverseCharge } from './tax.rules.ts'

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

type Language = InvoiceDocument['language']
type Buyer = Readonly<{ language: Language; fullName: string; details: BillingDetails }>
type About = ReturnType<typeof aboutDocument>

export interface ContentDeps {
  readonly database: Database
  readonly settings: InvoiceSettings
  /** Encryption that outlives accounts, with a key per year. */
  readonly keys: {
    encrypt(year: number, about: About, text: string): Promise<string>
    decrypt(year: number, about: About, sealed: string): Promise<string | undefined>
  }
  /** Returns undefined if the account was deleted. */
  readonly readBuyer: (userId: string) => Promise<Buyer | undefined>
}

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

/** Creates the functions that make, open and print the contents of documents. */
export function createContents({ database, settings, keys, readBuyer }: ContentDeps) {
  /** Returns undefined if the key of its year was destroyed. */
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

  return {
    open,
    compose,

    /** Returns an issued document of a user as a PDF; undefined if there is none. */
    async print(id: string, userId: string) {
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
    },
  }
}
