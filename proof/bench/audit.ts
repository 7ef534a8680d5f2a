import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { projectLedger } from '#backend/audit/testing/projectLedger.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { quantile } from './analytics/quantile.ts'
import { seedLedger } from './ledger/seedLedger.ts'
import { record } from './table/record.ts'

/**
 * Measures how many ledger events `audit verify` checks per second: `npm run bench -- audit [accounts] [videos]`. Uses
 * a temporary embedded Postgres.
 */
const accounts = Number(process.argv[2] ?? 5_000)
const videos = Number(process.argv[3] ?? 20)

const db = await startTemporaryDatabase()
try {
  const start = performance.now()
  const events = await seedLedger(db.pool, { first: 0, accounts, videos })
  console.log(
    `${events} events of ${accounts} accounts written in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  const verify = (what: string) => {
    const env = { ...process.env, DATABASE_URL: db.url, EVENTSTORE_URL: '' }
    const { stdout, status } = spawnSync(process.execPath, ['backend/programs/audit.ts', 'verify', '--json'], { env })
    const { eventsPerSecond, seconds, residentBytes } = JSON.parse(String(stdout))
    const rate = (time: number) => Math.round(events / time)
    console.log(
      `${what}: ${eventsPerSecond} events/s in the pass over the log (${rate(seconds.cpuOfLog)} per second of its CPU), ` +
        `${rate(seconds.all)} with all; ${Math.round(residentBytes / 2 ** 20)} MiB; exit code ${status}`,
    )
    return Number(eventsPerSecond)
  }
  record(
    'audit_verify',
    quantile(
      [1, 2, 3].map((run) => verify(`log alone, run ${run}`)),
      0.5,
    ),
  )
  await projectLedger(db.store, db.database)
  for (let run = 1; run <= 3; run++) verify(`log and read models, run ${run}`)
} finally {
  await db.close()
}
