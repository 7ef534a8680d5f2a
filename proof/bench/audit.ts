import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { projectLedger } from '#backend/audit/testing/projectLedger.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { quantile } from './analytics/quantile.ts'
import { seedLedger } from './ledger/seedLedger.ts'
import { record } from './table/record.ts'

/**
 * Measures how many ledger events `audit verify` checks per second: `npm run bench -- audit [accounts] [videos]`. Uses
 * temporary embedded Postgres servers. Beside the whole ledger, it measures one of videos alone, in turns.
 */
const accounts = Number(process.argv[2] ?? 5_000)
const videos = Number(process.argv[3] ?? 20)
const RUNS = [1, 2, 3]

async function seeded(kinds: 'videos' | 'all') {
  const db = await startTemporaryDatabase()
  const start = performance.now()
  const events = await seedLedger(db.pool, { first: 0, accounts, videos, kinds })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${kinds}: ${events} events of ${accounts} accounts written in ${seconds} s`)
  const verify = (what: string) => {
    const env = { ...process.env, DATABASE_URL: db.url, EVENTSTORE_URL: '' }
    const { stdout, status } = spawnSync(process.execPath, ['backend/programs/audit.ts', 'verify', '--json'], { env })
    const { eventsPerSecond, seconds, residentBytes } = JSON.parse(String(stdout))
    const rate = (time: number) => Math.round(events / time)
    console.log(
      `${kinds}, ${what}: ${eventsPerSecond} events/s in the pass over the log (${rate(seconds.cpuOfLog)} per second of its CPU), ` +
        `${rate(seconds.all)} with all; ${Math.round(residentBytes / 2 ** 20)} MiB; exit code ${status}`,
    )
    return { perSecond: Number(eventsPerSecond), perCpuSecond: rate(seconds.cpuOfLog) }
  }
  return { db, verify }
}

const all = await seeded('all')
const videosAlone = await seeded('videos')
try {
  const pairs = RUNS.map((run) => [all, videosAlone].map(({ verify }) => verify(`log alone, run ${run}`)))
  const median = (which: number, figure: 'perSecond' | 'perCpuSecond') =>
    quantile(
      pairs.map((pair) => pair[which]![figure]),
      0.5,
    )
  record('audit_verify', median(0, 'perSecond'))
  const ratio = median(0, 'perCpuSecond') / median(1, 'perCpuSecond')
  console.log(`All kinds: ${ratio.toFixed(2)} times the events per second of CPU of videos alone`)
  await projectLedger(all.db.store, all.db.database)
  for (const run of RUNS) all.verify(`log and read models, run ${run}`)
} finally {
  await all.db.close()
  await videosAlone.db.close()
}
