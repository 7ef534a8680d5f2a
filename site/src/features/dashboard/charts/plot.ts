/** The only module that imports uPlot, so that the library gets its own chunk. */
import UPlot from 'uplot'

export interface Line {
  readonly name: string
  readonly values: readonly number[]
  /** `dashed` makes a line distinguishable without colour. */
  readonly look: 'filled' | 'dashed' | 'bars'
}

export interface PlotOptions {
  readonly labels: readonly string[]
  readonly lines: readonly Line[]
  /** Formats a label of the value axis. */
  readonly number: (value: number) => string
  /** Called when the pointer moves to another data point. */
  readonly onPoint: (index: number) => void
}

export interface Plot {
  /** Moves the cursor to the data point at `index`. */
  moveTo(index: number): void
  destroy(): void
}

const WHOLE = [1, 2, 5, 10, 20, 50].flatMap((step) => [1, 1e2, 1e4, 1e6].map((power) => step * power))
const STEPS = [...new Set(WHOLE)].sort((a, b) => a - b)
const LABEL_EVERY = [1, 2, 3, 4, 6, 7, 14, 15, 30]
const LABEL_SPACE = 58

type Token = (name: string) => string

function seriesOf({ name, look }: Line, token: Token): UPlot.Series {
  const accent = token('--accent')
  const points = { show: true, size: 7 }
  if (look === 'bars')
    return {
      label: name,
      fill: accent,
      points: { show: false },
      paths: UPlot.paths.bars!({ size: [0.66, 44], radius: 0.2 }),
    }
  if (look === 'dashed') {
    const stroke = token('--info')
    return { label: name, stroke, width: 2, dash: [6, 5], points: { ...points, stroke, fill: token('--surface-1') } }
  }
  return { label: name, stroke: accent, width: 2.5, fill: token('--accent-soft'), points: { ...points, fill: accent } }
}

function axes({ labels, number }: PlotOptions, token: Token): UPlot.Axis[] {
  const font = `13px ${getComputedStyle(document.body).fontFamily}`
  const look = { stroke: token('--muted'), font, ticks: { show: false } }
  return [
    {
      ...look,
      grid: { show: false },
      incrs: LABEL_EVERY,
      space: LABEL_SPACE,
      size: 30,
      values: (_, places) => places.map((place) => labels[place] ?? ''),
    },
    {
      ...look,
      grid: { stroke: token('--line'), width: 1 },
      incrs: STEPS,
      size: 52,
      values: (_, values) => values.map(number),
    },
  ]
}

/** Draws a chart that fills `target` and resizes with it. */
export function drawPlot(target: HTMLElement, options: PlotOptions): Plot {
  const { labels, lines, onPoint } = options
  const token: Token = (name) => getComputedStyle(target).getPropertyValue(name).trim()
  const size = () => ({ width: target.clientWidth, height: target.clientHeight })
  const beside = lines.some(({ look }) => look === 'bars') ? 0.6 : (labels.length - 1) * 0.025
  const top = Math.max(5, ...lines.flatMap(({ values }) => values)) * 1.08
  const plot = new UPlot(
    {
      ...size(),
      legend: { show: false },
      padding: [10, 20, 0, 0],
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [-beside, labels.length - 1 + beside] }, y: { range: [0, top] } },
      axes: axes(options, token),
      series: [{}, ...lines.map((line) => seriesOf(line, token))],
      hooks: { setCursor: [({ cursor }) => cursor.idx != null && onPoint(cursor.idx)] },
    },
    [labels.map((_, index) => index), ...lines.map(({ values }) => [...values])],
    target,
  )
  const follower = new ResizeObserver(() => plot.setSize(size()))
  follower.observe(target)
  return {
    moveTo: (index) => plot.setCursor({ left: plot.valToPos(index, 'x'), top: 0 }),
    destroy: () => {
      follower.disconnect()
      plot.destroy()
    },
  }
}
