import { drawSvg, element, logScale } from './svg.ts'

/** A figure as a share of what it is compared with. */
export interface Share {
  readonly label: string
  /** Above 1 is better than the goal or the peer. */
  readonly share: number
  /** What is measured, in words and units. */
  readonly text: string
}

interface Shares {
  readonly title: string
  /** What a share of 1 is. */
  readonly one: string
  readonly shares: readonly Share[]
}

const WIDTH = 1000
const ROW = 24
const TOP = 82
/** Labels end where the axis begins. The text of the figure is to its right. */
const AXIS = { left: 490, right: 760 }
const TICKS = [0.1, 0.3, 1, 3, 10]
/** Shares beyond the axis are drawn at its end; their text says how far they are. */
const clamped = (share: number) => Math.min(Math.max(share, TICKS[0]!), TICKS.at(-1)!)
const times = (share: number) => `${share.toLocaleString('en', { maximumSignificantDigits: 2 })} ×`

/** Returns the line of one figure: filled when it is at least 1, hollow when it is not. */
function drawShare({ label, share, text }: Share, y: number, x: (share: number) => number): string[] {
  const reached = share >= 1
  const look = reached ? 'main' : 'second'
  const [one, place] = [x(1), x(clamped(share))]
  return [
    element('text', { x: AXIS.left - 14, y: y + 4, 'text-anchor': 'end' }, label),
    element('line', { class: `${look} line`, x1: one, x2: place, y1: y, y2: y }),
    element('circle', { class: reached ? look : `${look} hollow`, cx: place, cy: y, r: 5 }),
    element('text', { class: 'faint', x: AXIS.right + 16, y: y + 4 }, text),
  ]
}

/** Returns figures as an SVG, each as a share of its goal or peer on a logarithmic axis. */
export function plotShares({ title, one, shares }: Shares): string {
  const bottom = TOP + ROW * shares.length
  const x = logScale([TICKS[0]!, TICKS.at(-1)!], [AXIS.left, AXIS.right])
  const axis = TICKS.flatMap((tick) => [
    element('line', { class: tick === 1 ? 'rule' : 'grid', x1: x(tick), x2: x(tick), y1: TOP - 12, y2: bottom }),
    element('text', { class: 'faint', x: x(tick), y: TOP - 20, 'text-anchor': 'middle' }, times(tick)),
  ])
  const body = [
    element('text', { class: 'heading', x: 20, y: 28 }, title),
    element('text', { class: 'faint', x: 20, y: 48 }, `1 × is ${one}. Filled: reached. Hollow: not.`),
    ...axis,
    ...shares.flatMap((share, n) => drawShare(share, TOP + ROW * (n + 0.5), x)),
  ]
  const said = shares.map(({ label, share, text }) => `${label}: ${text}, ${times(share)}`)
  const description = `1 × is ${one}. ${said.join('; ')}.`
  return drawSvg({ width: WIDTH, height: bottom + 20, title, description, body })
}
