import { describe, expect, it } from 'vitest'
import type { EventBatch, GlobalPosition } from '../eventsourcing/eventStore.port.ts'
import { createMemoryEventStore } from '../eventsourcing/testing/memoryEventStore.ts'
import { createMetrics } from './metrics.ts'
import { createProjectionLag } from './projectionLag.ts'

const created = new Date('2026-01-01T00:00:00Z')
const stored = {
  id: '1',
  type: 'Stored',
  stream: 'example-1',
  revision: 0,
  position: '1' as GlobalPosition,
  created,
  data: {},
  meta: {},
}
/** A log with one event. */
const log = Object.assign(createMemoryEventStore(), {
  async *subscribeAll({ onLive }: { onLive?: () => void }): AsyncGenerator<EventBatch> {
    yield { events: [stored], position: stored.position, live: false }
    onLive?.()
  },
})

describe('projection lag', () => {
  it('is the age of the oldest unprocessed event, grows during failures, and is 0 at the head', async () => {
    let now = created.getTime()
    const metrics = createMetrics()
    const lag = createProjectionLag(metrics, () => now)
    const store = lag.follow('examples', log)
    const seconds = async () => {
      lag.collect()
      const { values } = await metrics.registry.getSingleMetric('kinora_projection_lag_seconds')!.get()
      return Math.round(values[0]!.value)
    }
    const options = { signal: new AbortController().signal }

    await expect(
      (async () => {
        for await (const _ of store.subscribeAll(options)) throw new Error('projection failed')
      })(),
    ).rejects.toThrow('projection failed')
    now += 40_000
    expect(await seconds()).toBe(40)
    for await (const { events } of store.subscribeAll(options)) expect(events).toHaveLength(1)
    expect(await seconds()).toBe(0)
    expect(await metrics.registry.getSingleMetricAsString('kinora_projected_events_total')).toContain(
      'projection="examples"} 1',
    )
  })
})
