import { readFileSync } from 'node:fs'
import PDFDocument from 'pdfkit'
import en from '#content/en/documents.json' with { type: 'json' }
import zh from '#content/zh/documents.json' with { type: 'json' }
import type { Party, PrintedDocument } from '../document.contract.ts'
import { type Covers, runsOf } from './glyphs.ts'

const TEXTS = { en, zh }
const LOCALES = { en: 'en', zh: 'zh-CN' }
const FONTS = {
  latin: readFileSync(new URL('./fonts/latin.ttf', import.meta.url)),
  chinese: readFileSync(new URL('./fonts/chinese.otf', import.meta.url)),
}

/** Distances in points. */
const MARGIN = 56
const WIDTH = 595.28 - 2 * MARGIN
const COLUMN = WIDTH / 2
const LINE = 16
const GREY = '#666666'

type Pdf = InstanceType<typeof PDFDocument>
type Style = Readonly<{ size?: number; colour?: string; width?: number; align?: 'left' | 'right' }>

/** Returns the text of an amount, with a currency that is unambiguous in both languages. */
const money = (cents: number, currency: string) => `${currency} ${(cents / 100).toFixed(2)}`

/** Returns which characters the fonts have, by the font files. */
function coverageOf(pdf: Pdf): Covers {
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
  draw(pdf, document)
  pdf.end()
  await done
  return new Uint8Array(Buffer.concat(chunks))
}

function draw(pdf: Pdf, document: PrintedDocument): void {
  const { language, kind, number, issuedAt, suppliedAt, about, seller, buyer, currency, rate } = document
  const t = TEXTS[language]
  const covers = coverageOf(pdf)
  const day = (instant: string) =>
    new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(instant))
  const sign = kind === 'invoice' ? 1 : -1

  /** Writes a text at a baseline, and returns the next one. */
  const write = (
    text: string,
    x: number,
    y: number,
    { size = 10, colour = '#000000', width = COLUMN, align }: Style = {},
  ) => {
    pdf.fontSize(size).fillColor(colour)
    let [line, at] = [y, x]
    const lines = linesOf(pdf, text, width, covers)
    for (const runs of lines) {
      const length = widthOf(pdf, runs)
      at = align === 'right' ? x + width - length : x
      for (const run of runs) {
        pdf.font(run.font).text(run.text, at, line, { baseline: 'alphabetic', lineBreak: false })
        at += widthOf(pdf, [run])
      }
      line += size * 1.6
    }
    return line
  }
  const row = (label: string, cents: number, y: number, style: Style = {}) => {
    write(label, MARGIN + COLUMN, y, { ...style, width: COLUMN / 2 })
    write(money(sign * cents, currency), MARGIN + COLUMN * 1.5, y, { ...style, width: COLUMN / 2, align: 'right' })
    return y + LINE
  }
  const party = (label: string, { name, address, vatId }: Party, x: number, y: number) => {
    let line = write(label, x, y, { colour: GREY, size: 9 })
    for (const text of [name, ...address, ...(vatId ? [`${t.vatId}: ${vatId}`] : [])])
      line = write(text, x, line, { width: COLUMN - LINE })
    return line
  }
  const rule = (y: number) =>
    pdf
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + WIDTH, y)
      .lineWidth(0.5)
      .strokeColor(GREY)
      .stroke()

  let y = write(t[kind], MARGIN, MARGIN + 24, { size: 24, width: WIDTH }) + LINE
  const facts = [
    [t.number, number],
    [t.issuedAt, day(issuedAt)],
    [t.suppliedAt, day(suppliedAt)],
    ...(about === null ? [] : [[t.aboutInvoice, about]]),
  ]
  for (const [label, value] of facts as [string, string][]) {
    write(label, MARGIN, y, { colour: GREY })
    y = write(value, MARGIN + COLUMN / 2, y)
  }
  y += LINE
  const ofSeller = party(t.seller, seller, MARGIN, y)
  const ofBuyer = buyer ? party(t.buyer, buyer, MARGIN + COLUMN, y) : y
  y = Math.max(ofSeller, ofBuyer) + LINE

  write(t.item, MARGIN, y, { colour: GREY, size: 9 })
  write(t.amount, MARGIN, y, { colour: GREY, size: 9, width: WIDTH, align: 'right' })
  rule(y + 8)
  y += LINE + 8
  const net = document.amountCents - document.taxCents
  for (const [n, text] of document.item.entries()) {
    const next = write(text, MARGIN, y, { width: COLUMN * 1.4 })
    if (n === 0) write(money(sign * net, currency), MARGIN, y, { width: WIDTH, align: 'right' })
    y = next
  }
  rule(y)
  y += LINE + 4
  if (rate > 0 || document.reverseCharge) {
    y = row(t.net, net, y)
    y = row(t.tax.replace('{{rate}}', String(rate)), document.taxCents, y)
  }
  y = row(t.total, document.amountCents, y + 6, { size: 13 }) + LINE
  // The words are prescribed.
  if (document.reverseCharge)
    for (const text of new Set([en.reverseCharge, t.reverseCharge])) y = write(text, MARGIN, y, { width: WIDTH })
  write(kind === 'invoice' ? t.paid : t.credited, MARGIN, y, { width: WIDTH })
}

type Runs = ReturnType<typeof runsOf>

const widthOf = (pdf: Pdf, runs: Runs) =>
  runs.reduce((sum, { font, text }) => sum + pdf.font(font).widthOfString(text), 0)

/** Where a line may end: after a space, and beside each Chinese character. */
const PIECE = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]|[^\s\p{Script=Han}\u3000-\u303f\uff00-\uffef]+\s*|\s+/gu

/** Breaks a text into lines of runs. A word that is longer than a line is broken anywhere. */
function linesOf(pdf: Pdf, text: string, width: number, covers: Covers): Runs[] {
  const fits = (line: string) => widthOf(pdf, runsOf(line.trimEnd(), covers)) <= width
  const lines: string[] = ['']
  for (const piece of text.match(PIECE) ?? [])
    for (const part of fits(piece) ? [piece] : piece)
      if (lines.at(-1) !== '' && !fits(lines.at(-1) + part)) lines.push(part)
      else lines[lines.length - 1] += part
  return lines.map((line) => runsOf(line.trimEnd(), covers))
}
