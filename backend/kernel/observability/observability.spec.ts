import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createObservability } from './observability.ts'

it('answers without the database after a few seconds, and says that the gauges are old', async () => {
  const { metrics, onCollect, read } = createObservability(pino({ level: 'silent' }))
  const stored = Promise.withResolvers<void>()
  let calls = 0
  onCollect(() => {
    calls++
    return stored.promise
  })
  metrics.forged.inc()
  for (const { text } of await Promise.all([read(20), read(20)])) {
    expect(text).toContain('kinora_forged_webhooks_total 1')
    expect(text).toContain('kinora_metrics_stale 1')
  }
  stored.resolve()
  expect((await read(1_000)).text).toContain('kinora_metrics_stale 0')
  expect(calls).toBe(1)
})
