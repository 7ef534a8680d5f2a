import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Curve, toMarkdown as curvesTable } from '../curves/growth.ts'
import { toMarkdown as peersTable } from '../peers/report.ts'
import { drawAll } from './drawAll.ts'
import { plotCurve } from './plotCurve.ts'
import { plotShares } from './plotShares.ts'
import { decadesOf, logScale } from './svg.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const readJson = (file: string) => JSON.parse(readFileSync(path.join(ROOT, 'proof/bench', file), 'utf8'))
const committed = drawAll({
  figures: readJson('results.json').rows,
  peers: readJson('peers.json').rows,
  curves: readJson('curves.json').curves,
})

const curve = (cost: (size: number) => number): Curve => ({
  ...{ id: 'a', question: 'reading <one> & all', axis: 'users', limit: 'flat' },
  points: [1e3, 1e4, 1e5].map((size) => ({ size, cpu_ms: cost(size), wall_ms: 2 * cost(size) })),
})
const shares = (...values: number[]) =>
  plotShares({
    title: 'Shares',
    one: 'the goal',
    shares: values.map((share, n) => ({ label: `figure ${n}`, share, text: 'x' })),
  })

/** Returns the values of an attribute, in the order of the elements that match. */
const attributes = (svg: string, element: RegExp, name: string) =>
  [...svg.matchAll(element)].map(([tag]) => Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)![1]))
/** Circles of the CPU time, without that of the legend. */
const dots = (svg: string, name: string) => attributes(svg, /<circle [^>]*>/g, name).slice(0, -1)

/** Returns the names of elements that are opened and not closed, or closed and not opened. */
function unbalanced(svg: string): string[] {
  const open: string[] = []
  for (const [, end, name, alone] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (alone) continue
    if (!end) open.push(name!)
    else if (open.pop() !== name) return [name!]
  }
  return open
}

describe('plots in docs/bench', () => {
  it('show the committed results: npm run bench -- plot', () => {
    expect(readdirSync(path.join(ROOT, 'docs/bench')).sort()).toEqual(Object.keys(committed).sort())
    for (const [name, svg] of Object.entries(committed))
      expect(readFileSync(path.join(ROOT, 'docs/bench', name), 'utf8'), name).toBe(svg)
  })

  it('are linked from docs/scaling.md', () => {
    const page = readFileSync(path.join(ROOT, 'docs/scaling.md'), 'utf8')
    expect(Object.keys(committed).filter((name) => !page.includes(`](bench/${name})`))).toEqual([])
  })

  it('are beside the tables of the same results', () => {
    const cells = (text: string) =>
      text.split('\n').map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .join('|'),
      )
    const page = cells(readFileSync(path.join(ROOT, 'docs/scaling.md'), 'utf8'))
    const tables = [curvesTable(readJson('curves.json').curves), peersTable(readJson('peers.json').rows)]
    const lines = cells(tables.join('\n')).filter((line) => !line.startsWith('|---'))
    expect(lines.filter((line) => !page.includes(line))).toEqual([])
  })

  it.each(Object.entries(committed))('%s is well formed, and has a title and a description', (_, svg) => {
    expect(unbalanced(svg)).toEqual([])
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc"/)
    expect(svg).toMatch(/<title id="title">[^<]{10,}<\/title>\n<desc id="desc">[^<]{50,}<\/desc>/)
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
  })
})

describe('the colours of plots', () => {
  const style = /<style>(.*)<\/style>/s.exec(shares(1))![1]!
  const [light, dark] = style.split('@media (prefers-color-scheme: dark)') as [string, string]
  const luminance = (hex: string) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
    }) as [number, number, number]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const fillOf = (css: string, name: string) =>
    new RegExp(`(?:^|\\s)${name}\\b[^{]*{[^}]*fill: (#\\w{6})`).exec(css)![1]!
  const contrast = (a: string, b: string) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
    return (high + 0.05) / (low + 0.05)
  }

  it.each([
    ['light', light],
    ['dark', dark],
  ] as const)('have enough contrast in %s', (_, css) => {
    const ground = fillOf(css, '\\.ground')
    for (const text of ['text', '\\.faint', '\\.main', '\\.second'])
      expect(contrast(fillOf(css, text), ground), text).toBeGreaterThanOrEqual(4.5)
  })
})

describe('a cost curve', () => {
  it('is a straight line for a power of the size, and level for a flat cost', () => {
    const linear = plotCurve(curve((size) => size / 1e3))
    const [[x0, x1, x2], [y0, y1, y2]] = [dots(linear, 'cx'), dots(linear, 'cy')] as [number[], number[]]
    expect(x2! - x1!).toBeCloseTo(x1! - x0!, 0)
    expect(y2! - y1!).toBeCloseTo(y1! - y0!, 0)
    expect(y2!).toBeLessThan(y0! - 100)
    expect(new Set(dots(plotCurve(curve(() => 0.4)), 'cy')).size).toBe(1)
  })

  it('says its verdict and its costs, and escapes its question', () => {
    const svg = plotCurve(curve((size) => size / 1e3))
    expect(svg).toContain('exponent 1.00; flat: no')
    expect(svg).toContain('10 ms of CPU and 20 ms elapsed with 10,000')
    expect(svg).toContain('reading &lt;one&gt; &amp; all')
  })
})

describe('a plot of shares', () => {
  it('fills the mark of a figure that reached its goal, and only that', () => {
    const looks = [...shares(1, 0.99, 2).matchAll(/<circle class="([^"]*)"/g)].map(([, look]) => look)
    expect(looks).toEqual(['main', 'second hollow', 'main'])
  })

  it('places a better figure further right, and one beyond the axis at its end', () => {
    const places = attributes(shares(0.001, 0.1, 1, 9, 10, 500), /<circle [^>]*>/g, 'cx')
    expect(places).toEqual([490, 490, 625, places[3], 760, 760])
    expect(places[3]).toBeLessThan(760)
    expect(places[3]).toBeGreaterThan(740)
  })
})

describe('a logarithmic scale', () => {
  it('has whole decades around all values', () => {
    expect(decadesOf([0.35, 12])).toEqual([0.1, 1, 10, 100])
    expect(decadesOf([1e3, 1e6])).toEqual([1e3, 1e4, 1e5, 1e6])
    expect(logScale([1, 100], [0, 10])(10)).toBeCloseTo(5)
  })
})
