import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { Table } from '../../../ui/Table.tsx'
import { numberText, shortNumber } from '../figures.ts'
import type { Line, Plot } from './plot.ts'

// Preload the drawing code while the data loads. `usePlot` reports import errors.
import('./plot.ts').catch(() => {})

interface ChartProps {
  readonly title: string
  /** Accessible name that describes the chart and its keyboard controls. */
  readonly label: string
  /** Header of the table's first column. */
  readonly head: string
  /** Labels of the data points. */
  readonly labels: readonly string[]
  readonly lines: readonly Line[]
  /** Index of the initially selected data point. */
  readonly start: number
}

const TO: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 7,
  PageUp: (at) => at + 7,
  Home: () => 0,
  End: (_, last) => last,
}

/** Chart with keyboard navigation between data points and an equivalent table. */
export function Chart({ title, label, head, labels, lines, start }: ChartProps) {
  const last = labels.length - 1
  // Reset the selection when the date range changes.
  const days = `${labels[0]} ${labels.length}`
  const [chosen, setChosen] = useState({ days, index: start })
  const at = chosen.days === days ? chosen.index : start
  const choose = (index: number) => setChosen({ days, index })
  const { target, plot } = usePlot(labels, lines, choose)
  const onKeyDown = (event: KeyboardEvent) => {
    const move = TO[event.key]
    if (!move) return
    event.preventDefault()
    const next = Math.min(last, Math.max(0, move(at, last)))
    choose(next)
    plot.current?.moveTo(next)
  }
  const spoken = lines.map(({ name, values }) => `${name} ${numberText(values[at] ?? 0)}`)
  return (
    <div className="stack chart min-0">
      <p className="row chart-readout muted" aria-hidden="true">
        <strong>{labels[at]}</strong>
        {lines.map(({ name, look, values }) => (
          <span className="chart-value" data-look={look} key={name}>
            {name} <b>{numberText(values[at] ?? 0)}</b>
          </span>
        ))}
      </p>
      <div
        className="chart-plot rounded min-0"
        ref={target}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={labels.length}
        aria-valuenow={at + 1}
        aria-valuetext={`${labels[at]}: ${spoken.join(', ')}`}
        onKeyDown={onKeyDown}
        onFocus={() => plot.current?.moveTo(at)}
      />
      <ChartTable title={title} head={head} labels={labels} lines={lines} />
    </div>
  )
}

/** Draws the chart when it first scrolls into view, and redraws it when the data changes. */
function usePlot(labels: readonly string[], lines: readonly Line[], onPoint: (index: number) => void) {
  const target = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot>(undefined)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && setSeen(true))
    watcher.observe(target.current!)
    return () => watcher.disconnect()
  }, [])
  // Compare by value, because each render creates new arrays.
  const drawing = JSON.stringify([labels, lines])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `drawing` contains labels and lines.
  useEffect(() => {
    if (!seen) return
    let mounted = true
    void import('./plot.ts').then(
      ({ drawPlot }) => {
        const number = (value: number) => shortNumber(value)
        if (mounted) plot.current = drawPlot(target.current!, { labels, lines, number, onPoint })
      },
      // The readout and the table work without the plot.
      (error) => console.error('chart not drawn', error),
    )
    return () => {
      mounted = false
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [seen, drawing])
  return { target, plot }
}

/** Chart data as a collapsible table. */
function ChartTable({ title, head, labels, lines }: Pick<ChartProps, 'title' | 'head' | 'labels' | 'lines'>) {
  const t = translate()
  return (
    <details className="chart-table">
      <summary className="touch hint">{t('dashboard.asTable')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be keyboard accessible. */}
      <section className="chart-rows" tabIndex={0} aria-label={t('dashboard.tableOf', { table: title })}>
        <Table
          className="board-table"
          rows={labels}
          keyOf={(label) => label}
          columns={[
            { head, isRowHead: true, cell: (label) => label },
            ...lines.map(({ name, values }) => ({
              head: name,
              className: 'number',
              cell: (_: string, index: number) => numberText(values[index] ?? 0),
            })),
          ]}
        />
      </section>
    </details>
  )
}
