/** Costs of one operation at one size of the data. */
export interface Point {
  /** Number of events, users or views. */
  readonly size: number
  /** Elapsed time of one operation, ms. */
  readonly wall_ms: number
  /** CPU time of one operation in Node and PostgreSQL, ms. */
  readonly cpu_ms: number
}

export interface Curve {
  readonly id: string
  readonly question: string
  /** What the size counts. */
  readonly axis: 'events' | 'users' | 'views' | 'entries'
  /** How the CPU time may grow with the size. */
  readonly limit: 'flat' | 'linear'
  /** In order of size. */
  readonly points: readonly Point[]
}

export interface Verdict {
  /** Exponent of the power of the size that fits the CPU time best: 0 is flat, 1 is linear. */
  readonly exponent: number
  /** The exponent between the two largest sizes. */
  readonly last: number
  readonly holds: boolean
}

/** Largest exponents of each limit. Flat: at most a doubling over three decades, and over the last one. */
const LIMITS = { flat: { exponent: 0.1, last: 0.3 }, linear: { exponent: 1.1, last: 1.1 } } as const

/**
 * Returns the slope of the least-squares line through the logarithms of the points, which is `k` for `y = c * x^k`.
 * @throws RangeError if there are not two different sizes, or if a value is not positive
 * @example fitExponent([[1, 3], [10, 30], [100, 300]]) // 1
 */
export function fitExponent(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.some(([x, y]) => !(x > 0 && y > 0))) throw new RangeError('a logarithm needs positive values')
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(logs.map(([x]) => x)), mean(logs.map(([, y]) => y))]
  const spread = mean(logs.map(([x]) => (x - meanX) ** 2))
  if (!(spread > 0)) throw new RangeError('a slope needs two sizes')
  return mean(logs.map(([x, y]) => (x - meanX) * (y - meanY))) / spread
}

/** Decides whether the CPU time of a curve stays within its limit. */
export function judge({ limit, points }: Pick<Curve, 'limit' | 'points'>): Verdict {
  const costs = points.map(({ size, cpu_ms }) => [size, cpu_ms] as const)
  const [exponent, last] = [fitExponent(costs), fitExponent(costs.slice(-2))]
  const most = LIMITS[limit]
  return { exponent, last, holds: exponent <= most.exponent && last <= most.last }
}

const shown = (ms: number) => (ms >= 100 ? Math.round(ms).toLocaleString('en') : String(Number(ms.toPrecision(3))))

/** Returns the curves and their verdicts as a Markdown table: CPU time beside wall time at each size. */
export function toMarkdown(curves: readonly Curve[]): string {
  const sizes = [...new Set(curves.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b)
  const line = (curve: Curve) => {
    const { exponent, last, holds } = judge(curve)
    const cells = sizes.map((size) => {
      const point = curve.points.find((each) => each.size === size)
      return point ? `${shown(point.cpu_ms)} / ${shown(point.wall_ms)}` : ''
    })
    const what = `${curve.question}, by ${curve.axis}`
    return `| ${[what, ...cells, exponent.toFixed(2), last.toFixed(2), curve.limit, holds ? 'yes' : 'no'].join(' | ')} |`
  }
  const names = [
    'CPU / wall, ms',
    ...sizes.map((size) => size.toLocaleString('en')),
    'Exponent',
    'Last',
    'Limit',
    'Holds',
  ]
  return [`| ${names.join(' | ')} |`, `|${names.map(() => '---').join('|')}|`, ...curves.map(line)].join('\n')
}
