import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Extracts the text of a PDF, a line each, from the top. A gap between columns is a space. */
export async function pdfText(pdf: ArrayBuffer | Uint8Array): Promise<string[]> {
  const loading = getDocument({ data: new Uint8Array(pdf), verbosity: 0 })
  const document = await loading.promise
  const { items } = await (await document.getPage(1)).getTextContent()
  const lines: { y: number; x: number; text: string }[] = []
  for (const item of items) {
    if (!('str' in item) || item.str === '') continue
    const [x, y] = [item.transform[4] as number, Math.round(item.transform[5])]
    const line = lines.find((each) => each.y === y)
    if (!line) lines.push({ y, x: x + item.width, text: item.str })
    else
      Object.assign(line, {
        x: x + item.width,
        text: line.text + (x > line.x + 2 && !/ $/.test(line.text) ? ' ' : '') + item.str,
      })
  }
  await loading.destroy()
  return lines.map(({ text }) => text.trimEnd())
}
