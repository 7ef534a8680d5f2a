import { readFileSync } from 'node:fs'
import PDFDocument from 'pdfkit'
import en from '#content/en/documents.json' with { type: 'json' }
import zh from '#content/zh/documents.json' with { type: 'json' }
import type { Party, PrintedDocument } from '../document.contract.ts'
import type { Covers } from './glyphs.ts'
import { COLUMN, createPen, GREY, MARGIN, type Style, WIDTH } from './pen.ts'

const TEXTS = { en, zh }
const LOCALES = { en: 'en', zh: 'zh-CN' }
const FONTS = {
  latin: readFileSync(new URL('./fonts/latin.ttf', import.meta.url)),
  chinese: readFileSync(new URL('./fonts/chinese.otf', import.meta.url)),
}

const LINE = 16

type Pdf = InstanceType<typeof PDFDocument>
type Pen = ReturnType<typeof createPen>

/** Returns the text of an amount, with a currency that is unambiguous in both languages. */
const money = (cents: number, currency: string) => `${currency} ${(cents / 100).toFixed(2)}`

/** Returns which characters the fonts have, by the font files. */
export function coverageOf(pdf: Pdf): Covers {
  const fonts = new Map<string, { hasGlyphForCodePoint(codePoint: number): boolean }>()
  for (const [name, file] of Object.entries(FONTS)) {
    pdf.registerFont(name, file).font(name)
    // The types of pdfkit do not know the font that it has opened.
    fonts.set(name, (pdf as unknown as { _font: { font: never } })._font.font)
  }
  return (font, codePoint) => fonts.get(font)!.hasGlyphForCodePoint(codePoint)
}

/** Draws the document as a PDF. */
export async function drawDocument(document: PrintedDocument): Promise<Uint8Array<ArrayBuffer>> {
  const { language, number, kind } = document
  const t = TEXTS[language]
  const title = `${t[kind]} ${number}`
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: LOCALES[language],
    displayTitle: true,
    info: { Title: title, Author: document.seller.name, CreationDate: new Date(document.issuedAt) },
  })
  const chunks: Buffer[] = []
  pdf.on('data', (chunk) => chunks.push(chunk))
  const done = new Promise((resolve) => pdf.on('end', resolve))
  const pen = createPen(pdf, coverageOf(pdf))
  drawSums(pen, document, drawHead(pen, document))
  pdf.end()
  await done
  return new Uint8Array(Buffer.concat(chunks))
}

/** Draws who sold to whom, and returns the baseline below. */
function drawHead({ write }: Pen, document: PrintedDocument): number {
  const { language, kind, number, issuedAt, suppliedAt, about, seller, buyer } = document
  const t = TEXTS[language]
  const date = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })
  const day = (instant: string) => date.format(new Date(instant))
  const party = (label: string, { name, address, vatId }: Party, x: number, y: number) => {
    let line = write(label, x, y, { colour: GREY, size: 9 })
    for (const text of [name, ...address, ...(vatId ? [`${t.vatId}: ${vatId}`] : [])])
      line = write(text, x, line, { width: COLUMN - LINE })
    return line
  }

  let y = write(t[kind], MARGIN, MARGIN + 24, { size: 24, width: WIDTH }) + LINE
  const facts: readonly (readonly [string, string])[] = [
    [t.number, number],
    [t.issuedAt, day(issuedAt)],
    [t.suppliedAt, day(suppliedAt)],
    ...(about === null ? [] : [[t.aboutInvoice, about] as const]),
  ]
  for (const [label, value] of facts) {
    write(label, MARGIN, y, { colour: GREY })
    y = write(value, MARGIN + COLUMN / 2, y)
  }
  y += LINE
  const ofSeller = party(t.seller, seller, MARGIN, y)
  return Math.max(ofSeller, buyer ? party(t.buyer, buyer, MARGIN + COLUMN, y) : y) + LINE
}

/** Draws what was sold and the amounts. */
function drawSums({ write, rule }: Pen, document: PrintedDocument, top: number): void {
  const { language, kind, amountCents, taxCents, currency, rate, reverseCharge, item } = document
  const t = TEXTS[language]
  const sign = kind === 'invoice' ? 1 : -1
  const right = { width: WIDTH, align: 'right' } as const
  const row = (label: string, cents: number, at: number, style: Style = {}) => {
    write(label, MARGIN + COLUMN, at, { ...style, width: COLUMN / 2 })
    write(money(sign * cents, currency), MARGIN, at, { ...style, ...right })
    return at + LINE
  }

  write(t.item, MARGIN, top, { colour: GREY, size: 9 })
  write(t.amount, MARGIN, top, { colour: GREY, size: 9, ...right })
  rule(top + 8)
  let y = top + LINE + 8
  const net = amountCents - taxCents
  for (const [n, text] of item.entries()) {
    const next = write(text, MARGIN, y, { width: COLUMN * 1.4 })
    if (n === 0) write(money(sign * net, currency), MARGIN, y, right)
    y = next
  }
  rule(y)
  y += LINE + 4
  if (rate > 0 || reverseCharge) {
    y = row(t.net, net, y)
    y = row(t.tax.replace('{{rate}}', String(rate)), taxCents, y)
  }
  y = row(t.total, amountCents, y + 6, { size: 13 }) + LINE
  // The words are prescribed.
  if (reverseCharge)
    for (const text of new Set([en.reverseCharge, t.reverseCharge])) y = write(text, MARGIN, y, { width: WIDTH })
  write(kind === 'invoice' ? t.paid : t.credited, MARGIN, y, { width: WIDTH })
}
