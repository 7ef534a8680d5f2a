import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from './analytics/quantile.ts'
import { startBenchStore } from './ratios/benchStore.ts'

/**
 * Measures the time from the call of `append` until a subscription of the same process delivers the event:
 * `npm run bench -- deliveries [events]`. Includes the flush to disk. With EVENTSTORE_URL, of that server.
 */
const count = Number(process.argv[2] ?? 2_000)
const COLD = 200
const PAUSE_MS = 2

const { store, record, close } = await startBenchStore()
const from = (await store.head()) ?? undefined
const stop = new AbortController()
const arrivals = new EventTarget()
const following = (async () => {
  const options = {
    ...(from && { from }),
    signal: stop.signal,
    onLive: () => void arrivals.dispatchEvent(new Event('live')),
  }
  for await (const { events } of store.subscribeAll(options))
    for (const { id } of events) arrivals.dispatchEvent(new Event(id))
})()

const times: number[] = []
for (let n = 0; n < count; n++) {
  const id = randomUUID()
  const arrived = once(arrivals, id)
  const begun = performance.now()
  await Promise.all([arrived, store.append(`bench-${n % 50}`, 'any', [{ id, type: 'Measured', data: { n } }])])
  if (n >= COLD) times.push(performance.now() - begun)
  await delay(PAUSE_MS)
}
stop.abort()
await following
await close()
const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
console.log(`append to subscriber: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
record('delivery_p50', p50)
record('delivery_p99', p99)
