import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startProgram } from '#backend/testing/program.ts'
import { COMPILE_CACHE } from '../../scripts/run.mjs'
import { buildServerIfStale, SERVER } from '../../scripts/server/buildServer.mjs'
import { quantile } from './analytics/quantile.ts'
import { record } from './table/record.ts'

/**
 * Measures the time from starting the process on existing data until it is ready, and its memory after it has rested:
 * `npm run bench -- startUp [starts]`. All roles run as `npm start` runs them: from the
 * bundle, with embedded PostgreSQL, whose processes are not counted.
 */
const starts = Number(process.argv[2] ?? 5)
const REST_MS = 10_000

await buildServerIfStale()
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
const env = { DATA_DIR: folder, PORT: '0', NODE_COMPILE_CACHE: COMPILE_CACHE }
await (await startProgram(env, SERVER)).stop()
const seconds: number[] = []
const megabytes: number[] = []
for (let n = 0; n < starts; n++) {
  const begun = performance.now()
  const program = await startProgram(env, SERVER)
  seconds.push((performance.now() - begun) / 1_000)
  if (n === starts - 1) {
    await delay(REST_MS)
    megabytes.push(program.residentBytes() / 1e6)
  }
  await program.stop()
}
rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
const [start, rest] = [quantile(seconds, 0.5), quantile(megabytes, 0.5)]
console.log(`ready after ${start.toFixed(2)} s; ${rest.toFixed(0)} MB at rest`)
record('warm_start', start)
record('rest_memory', rest)
