import type PDFDocument from 'pdfkit'
import { type Covers, runsOf } from './glyphs.ts'

/** Distances in points. */
export const MARGIN = 56
export const WIDTH = 595.28 - 2 * MARGIN
export const COLUMN = WIDTH / 2
export const GREY = '#666666'

type Pdf = InstanceType<typeof PDFDocument>
export type Style = Readonly<{ size?: number; colour?: string; width?: number; align?: 'left' | 'right' }>

/** Creates the functions that write and draw on a page. */
export const createPen = (pdf: Pdf, covers: Covers) => ({
  /** Writes a text at a baseline, in lines of at most `width`, and returns the baseline below. */
  write(
    text: string,
    x: number,
    y: number,
    { size = 10, colour = '#000000', width = COLUMN, align }: Style = {},
  ): number {
    pdf.fontSize(size).fillColor(colour)
    let line = y
    for (const runs of linesOf(pdf, text, width, covers)) {
      let at = align === 'right' ? x + width - widthOf(pdf, runs) : x
      for (const run of runs) {
        pdf.font(run.font).text(run.text, at, line, { baseline: 'alphabetic', lineBreak: false })
        at += widthOf(pdf, [run])
      }
      line += size * 1.6
    }
    return line
  },

  rule(y: number): void {
    const line = pdf.moveTo(MARGIN, y).lineTo(MARGIN + WIDTH, y)
    line.lineWidth(0.5).strokeColor(GREY).stroke()
  },
})

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
