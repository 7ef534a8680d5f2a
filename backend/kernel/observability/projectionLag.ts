import type { Clock } from '../time.ts'
import type { Metrics } from './metrics.ts'

/**
 * Measures the lag of the read models that this process updates: the age of the oldest unprocessed event in seconds, or
 * 0 at the head of the log. While a projection keeps failing, or its subscription is silent, its lag grows.
 */
export function createProjectionLag({ gauge, projected }: Metrics, now: Clock = Date.now) {
  /** Creation time of each projection's oldest event in flight, in epoch milliseconds; undefined at the head. */
  const oldestInFlight = new Map<string, number | undefined>()
  const lag = gauge('kinora_projection_lag_seconds', 'Age of the oldest event that a read model has not processed.', [
    'projection',
  ])

  return {
    collect() {
      for (const [projection, since] of oldestInFlight)
        lag.set({ projection }, since === undefined ? 0 : Math.max(0, now() - since) / 1000)
    },

    /** Notes when the oldest event in flight was created. */
    began(projection: string, created: Date): void {
      oldestInFlight.set(projection, created.getTime())
    },
    projected(projection: string, events: number): void {
      projected.inc({ projection }, events)
    },
    /** Notes that nothing was delivered for a while, although there are events. */
    silent(projection: string, forMs: number): void {
      oldestInFlight.set(projection, now() - forMs)
    },
    /** Notes that a projection is at the head of the log, or runs in another process. */
    current(projection: string): void {
      oldestInFlight.set(projection, undefined)
    },
  }
}
