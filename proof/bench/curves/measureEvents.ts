import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createPostgresEventStore } from '#backend/kernel/eventsourcing/postgres/postgresEventStore.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { PROJECTIONS } from '#projections/all.ts'
import { projectLog } from '#projections/testing/projectLog.ts'
import { emptyReadModels } from '../ledger/emptyReadModels.ts'
import { seedLedger } from '../ledger/seedLedger.ts'
import { costEach, costOf } from './costOf.ts'
import type { Sample } from './sample.ts'
import { settle, startCurveDatabase } from './startCurveDatabase.ts'

/** Videos of each account, and the events of an account with so many. */
const VIDEOS = 20
const ACCOUNT_EVENTS = 2 + 8 * VIDEOS
/** Accounts in use at the same time, as many at each size. */
const TOGETHER = 6

/** Returns the costs of a pass of the audit over the log. It runs as an operator runs it, in a process of its own. */
function verify(url: string) {
  const env = { ...process.env, DATABASE_URL: url, EVENTSTORE_URL: '' }
  const options = { env, maxBuffer: 1 << 28 }
  const { stdout } = spawnSync(process.execPath, ['backend/programs/audit.ts', 'verify', '--json'], options)
  const { seconds } = JSON.parse(String(stdout)) as { seconds: { log: number; cpuOfLog: number } }
  return { wall_ms: seconds.log * 1_000, cpu_ms: seconds.cpuOfLog * 1_000 }
}

/**
 * Measures what depends on the number of events, at each size. The log is a ledger of valid hash chains: accounts of 20
 * videos, their events interleaved.
 */
export async function* measureEvents(sizes: readonly number[]): AsyncGenerator<Sample> {
  const db = await startCurveDatabase()
  const { pid } = db.postgres.server
  try {
    let [stored, accounts] = [0, 0]
    for (const size of sizes) {
      const more = Math.ceil((size - stored) / ACCOUNT_EVENTS)
      stored = await seedLedger(db.pool, { first: accounts, accounts: more, videos: VIDEOS, together: TOGETHER }, size)
      accounts += more
      await settle(db.pool)
      yield { id: 'audit', size, ...verify(db.url) }
      // A store remembers the end of the log, and events are removed below.
      const store = createPostgresEventStore(db.pool)
      await emptyReadModels(db)
      yield { id: 'catch_up', size, ...(await costOf(pid, () => projectLog(PROJECTIONS, { ...db, store }))) }
      const readAccount = async () => {
        const account = derivedId('user', Math.floor(Math.random() * accounts))
        for await (const event of store.readStream(`creditAccount-${account}`)) if (!event) return
      }
      yield { id: 'read_account', size, ...(await costEach(pid, readAccount)) }
      const append = () =>
        store.append(`bench-${randomUUID()}`, 'no_stream', [{ id: randomUUID(), type: 'Measured', data: {} }])
      yield { id: 'append', size, ...(await costEach(pid, append)) }
      await store.close()
      await db.pool.query('delete from event where position > $1', [size])
    }
  } finally {
    await db.close()
  }
}
