import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { runProgram } from '#backend/kernel/processes/runProgram.ts'
import { quantile } from './analytics/quantile.ts'

/**
 * Measures how long starting a program blocks the event loop: as a child of this process, and through the launcher.
 * `npm run bench -- launching [megabytes that this process uses]`. docs/decisions/0042-launcher.md.
 */
const RUNS = 40
const megabytes = Number(process.argv[2] ?? 300)
const memory = Array.from({ length: megabytes }, () => Buffer.alloc(1 << 20, 1))

const starts = {
  child: async () => {
    const child = spawn('/bin/true', { stdio: 'pipe' })
    const blocked = performance.now()
    await once(child, 'close')
    return blocked
  },
  launcher: async () => {
    const order = { program: '/bin/true', args: [], env: {}, limits: { cpuSeconds: 1 }, timeoutMs: 10_000 }
    const run = runProgram(order)
    const blocked = performance.now()
    await run
    return blocked
  },
}
// The first run starts the launcher.
await starts.launcher()
const times: Record<keyof typeof starts, number[]> = { child: [], launcher: [] }
for (let run = 0; run < RUNS; run++)
  for (const way of ['child', 'launcher'] as const) {
    const start = performance.now()
    times[way].push((await starts[way]()) - start)
  }
for (const way of ['child', 'launcher'] as const)
  console.log(`${way}: ${quantile(times[way], 0.5).toFixed(2)} ms, p90 ${quantile(times[way], 0.9).toFixed(2)} ms`)
console.log(`beside ${memory.length} MB`)
