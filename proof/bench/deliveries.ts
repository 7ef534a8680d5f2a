import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from './analytics/quantile.ts'
import { startDurableDatabase } from './ratios/durableDatabase.ts'
import { record } from './table/record.ts'

/**
 * Measures the time from the call of `append` until a subscription of the same process delivers the event:
 * `npm run bench -- deliveries [events]`. Includes the flush to disk.
 */
const count = Number(process.argv[2] ?? 2_000)
const COLD = 200
const PAUSE_MS = 2

const database = await startDurableDatabase()
const stop = new AbortController()
const arrivals = new EventTarget()
const following = (async () => {
  const options = { signal: stop.signal, onLive: () => void arrivals.dispatchEvent(new Event('live')) }
  for await (const { events } of database.store.subscribeAll(options))
    for (const { id } of events) arrivals.dispatchEvent(new Event(id))
})()

const times: number[] = []
for (let n = 0; n < count; n++) {
  const id = randomUUID()
  const arrived = once(arrivals, id)
  const begun = performance.now()
  await Promise.all([arrived, database.store.append(`bench-${n % 50}`, 'any', [{ id, type: 'Measured', data: { n } }])])
  if (n >= COLD) times.push(performance.now() - begun)
  await delay(PAUSE_MS)
}
stop.abort()
await database.store.close()
await following
await database.close()
const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
console.log(`append to subscriber: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
record('delivery_p50', p50)
record('delivery_p99', p99)
