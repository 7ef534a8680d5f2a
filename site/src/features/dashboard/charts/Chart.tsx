import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { numberText, shortNumber } from '../figures.ts'
import type { Line, Plot } from './plot.ts'

// Fetched while the numbers are; who needs it and does not get it says so.
import('./plot.ts').catch(() => {})

interface ChartProps {
  readonly title: string
  /** What it is and how it is used, for those who do not see it. */
  readonly label: string
  /** Of the table's first column. */
  readonly head: string
  /** Names of the points. */
  readonly labels: readonly string[]
  readonly lines: readonly Line[]
  /** The point that is told at first. */
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

/** A chart that is read by eye, point by point with the arrow keys, or as the table behind it. */
export function Chart({ title, label, head, labels, lines, start }: ChartProps) {
  const locale = pageLocale()
  const last = labels.length - 1
  // A point of other days means nothing here.
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
  const told = lines.map(({ name, values }) => `${name} ${numberText(values[at] ?? 0, locale)}`)
  return (
    <div className="chart">
      <p className="chart-readout" aria-hidden="true">
        <strong>{labels[at]}</strong>
        {lines.map(({ name, look, values }) => (
          <span className="chart-value" data-look={look} key={name}>
            {name} <b>{numberText(values[at] ?? 0, locale)}</b>
          </span>
        ))}
      </p>
      <div
        className="chart-plot"
        ref={target}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={labels.length}
        aria-valuenow={at + 1}
        aria-valuetext={`${labels[at]}: ${told.join(', ')}`}
        onKeyDown={onKeyDown}
        onFocus={() => plot.current?.moveTo(at)}
      />
      <Behind title={title} head={head} labels={labels} lines={lines} />
    </div>
  )
}

/** Draws when the chart comes into sight, and anew when there are other numbers. */
function usePlot(labels: readonly string[], lines: readonly Line[], onPoint: (index: number) => void) {
  const target = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot>(undefined)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && setSeen(true))
    watcher.observe(target.current!)
    return () => watcher.disconnect()
  }, [])
  // The same numbers are the same drawing.
  const drawing = JSON.stringify([labels, lines])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `drawing` stands for labels and lines.
  useEffect(() => {
    if (!seen) return
    let wanted = true
    void import('./plot.ts').then(
      ({ drawPlot }) => {
        const number = (value: number) => shortNumber(value, pageLocale())
        if (wanted) plot.current = drawPlot(target.current!, { labels, lines, number, onPoint })
      },
      // The readout and the table go without a drawing.
      (error) => console.error('The chart could not be drawn', error),
    )
    return () => {
      wanted = false
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [seen, drawing])
  return { target, plot }
}

/** The same numbers as a table. */
function Behind({ title, head, labels, lines }: Pick<ChartProps, 'title' | 'head' | 'labels' | 'lines'>) {
  const locale = pageLocale()
  const t = translate()
  return (
    <details className="chart-table">
      <summary>{t('dashboard.asTable')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section className="chart-rows" tabIndex={0} aria-label={t('dashboard.tableOf', { table: title })}>
        <table className="board-table">
          <thead>
            <tr>
              <th scope="col">{head}</th>
              {lines.map(({ name }) => (
                <th scope="col" className="number" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((point, index) => (
              <tr key={point}>
                <th scope="row">{point}</th>
                {lines.map(({ name, values }) => (
                  <td className="number" key={name}>
                    {numberText(values[index] ?? 0, locale)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
