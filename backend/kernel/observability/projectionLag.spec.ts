import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'
import { createProjectionLag } from './projectionLag.ts'

describe('projection lag', () => {
  it('is the age of the oldest unprocessed event, grows during failures and silence, and is 0 at the head', async () => {
    const created = new Date('2026-01-01T00:00:00Z')
    let now = created.getTime()
    const metrics = createMetrics()
    const lag = createProjectionLag(metrics, () => now)
    const seconds = async () => {
      lag.collect()
      const { values } = await metrics.registry.getSingleMetric('kinora_projection_lag_seconds')!.get()
      return Math.round(values[0]!.value)
    }
    lag.began('examples', created)
    now += 40_000
    expect(await seconds()).toBe(40)
    lag.projected('examples', 3)
    lag.current('examples')
    expect(await seconds()).toBe(0)
    lag.silent('examples', 15_000)
    now += 5_000
    expect(await seconds()).toBe(20)
    expect(await metrics.registry.getSingleMetricAsString('kinora_projected_events_total')).toContain(
      'projection="examples"} 3',
    )
  })
})
