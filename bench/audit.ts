import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import type pg from 'pg'
import { projectLedger } from '#backend/audit/testing/projectLedger.ts'
import { chainStart, derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { quantile } from './analytics/quantile.ts'
import { record } from './table/record.ts'

/**
 * Measures how many ledger events `audit verify` checks per second: `npm run bench -- audit [accounts] [videos]`. Uses
 * a temporary embedded Postgres.
 */
const accounts = Number(process.argv[2] ?? 5_000)
const videos = Number(process.argv[3] ?? 20)

const ORDER = {
  taskType: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  resolution: '768P',
  duration: 6,
  encryptedPrompt: 'p'.repeat(200),
  cameraMovements: [],
  promptOptimizer: true,
  firstFrame: null,
  credits: 30,
  priority: 4,
}
const FILE = { size: 1_000_000, durationMs: 5_880, width: 1366, height: 768, sha256: '0'.repeat(64) }

type Row = { stream: string; revision: number; id: string; type: string; data: object; meta: object }

/** Returns the events of an account and its tasks: credits, then videos, every fourth of which fails. */
function accountEvents(user: number): Row[] {
  const userId = derivedId('user', user)
  const rows: Row[] = []
  const heads = new Map<string, Row>()
  const appendTo = (stream: string, type: string, data: object, actor = 'system') => {
    const head = heads.get(stream)
    const id = derivedId('bench', user, rows.length)
    const at = new Date(Date.UTC(2026, 0, 1) + rows.length * 1_000).toISOString()
    const meta = { correlationId: id, actor, schema: 1, previousHash: head ? eventHash(head) : chainStart(stream) }
    const row = { stream, revision: head ? head.revision + 1 : 0, id, type, data: { ...data, at }, meta }
    heads.set(stream, row)
    rows.push(row)
  }
  const append = (type: string, data: object, actor?: string) =>
    appendTo(`creditAccount-${userId}`, type, { userId, ...data }, actor)
  const lot = { expiresAt: null }
  const gift = derivedId('gift', user)
  append('CreditLotGranted', { lotId: derivedId('free', user), source: 'free', amount: 60, ...lot })
  const given = { lotId: gift, source: 'adjustment', amount: 30 * videos, reason: 'bench' }
  append('CreditLotGranted', { ...given, ...lot }, 'operator:bench')
  for (let n = 0; n < videos; n++) {
    const holdId = derivedId('video', user, n)
    const parts = [{ lotId: gift, amount: 30 }]
    const appendTask = (type: string, data: object = {}) =>
      appendTo(`videoTask-${holdId}`, type, { taskId: holdId, ...data })
    append('CreditsHeld', { holdId, parts }, `user:${userId}`)
    appendTask('VideoTaskSubmitted', { userId, ...ORDER })
    appendTask('VideoRenderRequested')
    appendTask('VideoRenderAccepted', { jobId: `job-${n}` })
    appendTask('VideoRenderStarted')
    appendTask('VideoDownloadStarted')
    if (n % 4 === 3) appendTask('VideoTaskFailed', { userId, code: 'provider_failed', detail: '', jobId: null })
    else appendTask('VideoTaskSucceeded', { userId, file: FILE })
    if (n % 4 === 3) append('CreditsReleased', { holdId, reason: 'not delivered', parts, renewed: null })
    else append('CreditsCaptured', { holdId })
  }
  return rows
}

/** Inserts accounts in batches, with the events of each batch interleaved as if accounts were used concurrently. */
async function seed(pool: pg.Pool): Promise<number> {
  const batch = 250
  let position = 0
  for (let first = 0; first < accounts; first += batch) {
    const streams = Array.from({ length: Math.min(batch, accounts - first) }, (_, n) => accountEvents(first + n))
    const rows = streams[0]!.flatMap((_, revision) =>
      streams.map((events) => ({ ...events[revision]!, position: ++position })),
    )
    await pool.query(
      `insert into event select position, stream, revision, id, type, data, meta, now()
       from jsonb_to_recordset($1::jsonb) as e(position bigint, stream text, revision bigint, id uuid, type text, data jsonb, meta jsonb)`,
      [JSON.stringify(rows)],
    )
  }
  await pool.query('analyze event')
  return position
}

const db = await startTemporaryDatabase()
try {
  const start = performance.now()
  const events = await seed(db.pool)
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
