import { type Curve, judge, type Point } from '../curves/growth.ts'
import { decadesOf, drawSvg, element, logScale } from './svg.ts'

const [WIDTH, HEIGHT] = [560, 360]
const FRAME = { left: 70, right: WIDTH - 20, top: 84, bottom: HEIGHT - 48 }
/** A cost that is flat fills at least so many decades, or small noise would look like growth. */
const MIN_DECADES = 3

const LINES = [
  { key: 'cpu_ms', name: 'CPU', look: 'main', dash: 'none' },
  { key: 'wall_ms', name: 'elapsed', look: 'second', dash: '5 4' },
] as const

const sizeText = (size: number) => size.toLocaleString('en')
const digits = { maximumSignificantDigits: 3 }
const costText = (ms: number) =>
  ms >= 1_000 ? `${(ms / 1_000).toLocaleString('en', digits)} s` : `${ms.toLocaleString('en', digits)} ms`

/** Returns the decades of the costs, centred, at least {@link MIN_DECADES} of them. */
function costDecades(points: readonly Point[]): number[] {
  const decades = decadesOf(points.flatMap(({ cpu_ms, wall_ms }) => [cpu_ms, wall_ms]))
  for (let n = 0; decades.length <= MIN_DECADES; n++) {
    if (n % 2 === 0) decades.push(decades.at(-1)! * 10)
    else decades.unshift(decades[0]! / 10)
  }
  return decades
}

/** Returns the axes with a line for each power of ten, and the functions that place a point. */
function drawAxes({ points, axis }: Curve) {
  const { left, right, top, bottom } = FRAME
  const [sizes, costs] = [decadesOf(points.map(({ size }) => size)), costDecades(points)]
  const x = logScale([sizes[0]!, sizes.at(-1)!], [left, right])
  const y = logScale([costs[0]!, costs.at(-1)!], [bottom, top])
  const marks = [
    ...sizes.flatMap((size) => [
      element('line', { class: 'grid', x1: x(size), x2: x(size), y1: top, y2: bottom }),
      element(
        'text',
        { class: 'faint', x: x(size), y: bottom + 18, 'text-anchor': size === sizes.at(-1) ? 'end' : 'middle' },
        sizeText(size),
      ),
    ]),
    ...costs.flatMap((cost) => [
      element('line', { class: 'grid', x1: left, x2: right, y1: y(cost), y2: y(cost) }),
      element('text', { class: 'faint', x: left - 8, y: y(cost) + 4, 'text-anchor': 'end' }, costText(cost)),
    ]),
    element('text', { class: 'faint', x: (left + right) / 2, y: HEIGHT - 10, 'text-anchor': 'middle' }, axis),
  ]
  return { marks, x, y }
}

/** Returns a cost curve as an SVG with logarithmic axes, on which a power of the size is a straight line. */
export function plotCurve(curve: Curve): string {
  const { question, axis, points, limit } = curve
  const { exponent, holds } = judge(curve)
  const { marks, x, y } = drawAxes(curve)
  const title = `Cost of ${question}, by ${axis}`
  const verdict = `exponent ${exponent.toFixed(2)}; ${limit}: ${holds ? 'yes' : 'no'}`
  const costs = points.map(
    ({ size, cpu_ms, wall_ms }) => `${costText(cpu_ms)} of CPU and ${costText(wall_ms)} elapsed with ${sizeText(size)}`,
  )
  const lines = LINES.flatMap(({ key, name, look, dash }, n) => {
    const places = points.map((point) => [x(point.size), y(point[key])] as const)
    const path = places.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ')
    const side = 8
    const dot = ([px, py]: readonly [number, number]) =>
      key === 'cpu_ms'
        ? element('circle', { class: look, cx: px, cy: py, r: side / 2 })
        : element('rect', { class: `${look} hollow`, x: px - side / 2, y: py - side / 2, width: side, height: side })
    const [kx, ky] = [FRAME.left + n * 110, 64]
    return [
      element('polyline', { class: `${look} line`, 'stroke-dasharray': dash, points: path }),
      ...places.map(dot),
      element('line', { class: `${look} line`, 'stroke-dasharray': dash, x1: kx, x2: kx + 24, y1: ky, y2: ky }),
      dot([kx + 12, ky]),
      element('text', { x: kx + 32, y: ky + 4 }, name),
    ]
  })
  const heading = [
    element('text', { class: 'heading', x: 20, y: 26 }, title),
    element('text', { class: 'faint', x: 20, y: 46 }, verdict),
  ]
  const description = `${title}: ${costs.join('; ')}. ${verdict}.`
  return drawSvg({ width: WIDTH, height: HEIGHT, title, description, body: [...heading, ...marks, ...lines] })
}
