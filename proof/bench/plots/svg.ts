/** Colours by role. Each pair of text and ground has a contrast of at least 4.5, in light and in dark. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .ground { fill: #ffffff }
  .heading { font-size: 16px; font-weight: 600 }
  .faint { fill: #59636e }
  .grid { stroke: #d1d9e0 }
  .rule { stroke: #59636e }
  .main { fill: #0969da; stroke: #0969da }
  .second { fill: #bc4c00; stroke: #bc4c00 }
  .line { fill: none; stroke-width: 2 }
  .hollow { fill: #ffffff; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .ground, .hollow { fill: #0d1117 }
    .faint { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .rule { stroke: #9198a1 }
    .main { fill: #4493f8; stroke: #4493f8 }
    .second { fill: #db6d28; stroke: #db6d28 }
    .line { fill: none }
    .hollow { fill: #0d1117 }
  }`

type Attributes = Readonly<Record<string, string | number>>

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)
const rounded = (value: string | number) =>
  typeof value === 'number' ? String(Number(value.toFixed(1))) : escapeXml(value)

/** Returns an element. `content` is escaped text. @example element('text', { x: 1, y: 2 }, 'a < b') */
export function element(name: string, attributes: Attributes, content?: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${rounded(value)}"`)
  return `<${name}${given.join('')}${content === undefined ? '/>' : `>${escapeXml(content)}</${name}>`}`
}

interface Drawing {
  readonly width: number
  readonly height: number
  readonly title: string
  /** Says in words what the drawing shows, for readers who do not see it. */
  readonly description: string
  readonly body: readonly string[]
}

/** Returns an SVG document with a ground of its own, so that it is legible on any page. */
export function drawSvg({ width, height, title, description, body }: Drawing): string {
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    element('title', { id: 'title' }, title),
    element('desc', { id: 'desc' }, description),
    `<style>${STYLE}\n</style>`,
    element('rect', { class: 'ground', width, height }),
    ...body,
    '</svg>',
  ]
  return `${lines.join('\n')}\n`
}

type Span = readonly [from: number, to: number]

/** Returns a function that maps `domain` to `range` by the logarithm. */
export const logScale =
  ([low, high]: Span, [from, to]: Span) =>
  (value: number): number =>
    from + (Math.log(value / low) / Math.log(high / low)) * (to - from)

/** Returns the powers of ten from the one at or below the smallest value to the one at or above the largest. */
export function decadesOf(values: readonly number[]): number[] {
  const [low, high] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))]
  return Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n))
}
