import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createMetrics } from './metrics.ts'
import { createProjectionLag } from './projectionLag.ts'

/** Less than the ten seconds after which Prometheus gives up by default. */
const COLLECT_MS = 3_000

export type Observability = ReturnType<typeof createObservability>

/** Sets gauges to their current values. */
type Collector = () => void | Promise<void>

/** Creates the metrics for `/metrics`: measurements of this process, and gauges that collectors set on each read. */
export function createObservability(log: Pick<Logger, 'warn'>) {
  const metrics = createMetrics()
  const lag = createProjectionLag(metrics)
  const stale = metrics.gauge(
    'kinora_metrics_stale',
    '1 if gauges could not be read from the database: their values are old.',
  )
  const collectors: Collector[] = [lag.collect]
  let collecting: Promise<void> | undefined

  const collect = async () => {
    const results = await Promise.allSettled(collectors.map(async (each) => each()))
    const failed = results.find((result) => result.status === 'rejected')
    stale.set(failed ? 1 : 0)
    if (failed) log.warn({ err: failed.reason }, 'collecting metrics failed')
  }

  return {
    metrics,
    lag,
    /** Adds a collector that runs each time metrics are read. */
    onCollect: (collector: Collector) => void collectors.push(collector),
    /**
     * Returns all metrics in the Prometheus text format. Concurrent calls share one collection. If it takes longer than
     * `collectMs`, the gauges have their previous values.
     */
    async read(collectMs = COLLECT_MS) {
      collecting ??= collect().finally(() => {
        collecting = undefined
      })
      const isLate = await Promise.race([collecting.then(() => false), delay(collectMs, true, { ref: false })])
      if (isLate) stale.set(1)
      return { type: metrics.registry.contentType, text: await metrics.registry.metrics() }
    },
  }
}
