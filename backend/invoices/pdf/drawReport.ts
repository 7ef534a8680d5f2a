import PDFDocument from 'pdfkit'
import { coverageOf } from './drawDocument.ts'
import { createPen, GREY, MARGIN, WIDTH } from './pen.ts'

/** A report in English: sections of lines. */
export interface Report {
  readonly title: string
  readonly at: string
  readonly sections: readonly Readonly<{ head: string; lines: readonly string[] }>[]
}

const BOTTOM = 841.89 - MARGIN
const LINE = 14

/** Draws a report as a PDF, on as many pages as it needs. */
export async function drawReport({ title, at, sections }: Report): Promise<Uint8Array<ArrayBuffer>> {
  const info = { Title: title, CreationDate: new Date(at) }
  const pdf = new PDFDocument({ size: 'A4', margin: MARGIN, lang: 'en', displayTitle: true, info })
  const chunks: Buffer[] = []
  pdf.on('data', (chunk) => chunks.push(chunk))
  const done = new Promise((resolve) => pdf.on('end', resolve))
  const { write } = createPen(pdf, coverageOf(pdf))
  let y = write(title, MARGIN, MARGIN + 18, { size: 18, width: WIDTH })
  y = write(at, MARGIN, y, { colour: GREY, size: 9, width: WIDTH }) + LINE
  const line = (text: string, style: Parameters<typeof write>[3]) => {
    // A text of two lines must fit, too.
    if (y > BOTTOM - 2 * LINE) {
      pdf.addPage()
      y = MARGIN + LINE
    }
    y = write(text, MARGIN, y, { width: WIDTH, ...style })
  }
  for (const { head, lines } of sections) {
    line(head, { size: 12 })
    for (const text of lines) line(text, { size: 8.5 })
    y += LINE
  }
  pdf.end()
  await done
  return new Uint8Array(Buffer.concat(chunks))
}
