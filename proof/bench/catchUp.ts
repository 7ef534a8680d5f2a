import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { PROJECTIONS } from '#projections/all.ts'
import { projectLog } from '#projections/testing/projectLog.ts'
import { taskEvents } from '#projections/testing/taskEvents.ts'
import { cpuTime } from './analytics/cpuTime.ts'
import { quantile } from './analytics/quantile.ts'
import { openFarDatabase } from './catchUp/farDatabase.ts'
import { emptyReadModels, TABLES } from './ledger/emptyReadModels.ts'
import { record } from './table/record.ts'

/**
 * Measures how fast all read models catch up with a log: `npm run bench -- catchUp [videos] [rounds] [round trip, ms]`.
 * The tables have the same rows after each round. With a round trip, the tables are as if on another host.
 */
const videos = Number(process.argv[2] ?? 2_000)
const rounds = Number(process.argv[3] ?? 3)
const roundTripMs = Number(process.argv[4] ?? 0)
const USERS = 200
const PAGE = 5_000

const db = await startTemporaryDatabase()
const far = roundTripMs > 0 ? await openFarDatabase(db, roundTripMs) : undefined
const { database } = far ?? db

/** Returns the events of a video that was made and paid for, with their streams. */
function video(n: number): { stream: string; event: Event }[] {
  const [userId, taskId] = [derivedId('user', n % USERS), uuid7()]
  const { submitted, requested, accepted, started, downloading, succeeded } = taskEvents(taskId, userId)
  const at = submitted.data.at
  const lot = { userId, lotId: taskId, source: 'payment', amount: 30, expiresAt: null, at }
  const account = (type: string, data: object) => ({
    stream: `creditAccount-${userId}`,
    event: { type, data: { userId, at, ...data } },
  })
  const task = (event: Event) => ({ stream: `videoTask-${taskId}`, event })
  const lane = (type: string) => ({ stream: `renderLane-${userId}`, event: { type, data: { userId, taskId, at } } })
  return [
    account('CreditLotGranted', lot),
    account('CreditsHeld', { holdId: taskId, parts: [{ lotId: taskId, amount: 30 }] }),
    task(submitted),
    ...[lane('RenderSlotAsked'), lane('RenderSlotClaimed')],
    ...[requested, accepted, started, downloading, succeeded].map(task),
    account('CreditsCaptured', { holdId: taskId }),
    lane('RenderSlotReleased'),
  ]
}

/** Writes the log to the event table, which is faster than appending it. Returns the number of events. */
async function writeLog(): Promise<number> {
  const revisions = new Map<string, number>()
  const all = Array.from({ length: videos }, (_, n) => video(n)).flat()
  const rows = all.map(({ stream, event }, n) => {
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    return { position: n + 1, stream, revision, id: uuid7(), ...event, meta: { schema: 1 }, created: new Date() }
  })
  for (let first = 0; first < rows.length; first += PAGE)
    await db.pool.query('insert into event select * from jsonb_populate_recordset(null::event, $1::jsonb)', [
      JSON.stringify(rows.slice(first, first + PAGE)),
    ])
  await db.pool.query('analyze event')
  return rows.length
}

/** Projects the whole log into empty tables. Returns the CPU times and a hash of all rows. */
async function catchUp() {
  await emptyReadModels(db)
  const turns = monitorEventLoopDelay({ resolution: 1 })
  turns.enable()
  const [wall, node, postgres] = [performance.now(), process.cpuUsage(), cpuTime(db.postgres.server.pid)]
  await projectLog(PROJECTIONS, { database, store: db.store })
  const { user, system } = process.cpuUsage(node)
  const cost = {
    wall: performance.now() - wall,
    node: (user + system) / 1_000,
    postgres: cpuTime(db.postgres.server.pid) - postgres,
    turn: turns.max / 1e6,
  }
  turns.disable()
  const hashes = TABLES.map(async (table) => {
    const { rows } = await db.pool.query(`select md5(string_agg(t::text, '' order by id)) as hash from "${table}" t`)
    return rows[0].hash
  })
  return { ...cost, hash: (await Promise.all(hashes)).join() }
}

const count = await writeLog()
const rates: number[] = []
for (let round = 1; round <= rounds; round++) {
  const { wall, node, postgres, turn, hash } = await catchUp()
  const rate = count / (wall / 1_000)
  rates.push(rate)
  const each = (ms: number) => `${((ms / count) * 1_000).toFixed(1)} µs`
  console.log(
    `round ${round}: ${Math.round(rate)} events/s; CPU each ${each(node)} in Node, ${each(postgres)} in PostgreSQL; longest turn ${turn.toFixed(0)} ms; rows ${derivedId(hash).slice(0, 8)}`,
  )
}
await far?.close()
record('catch_up', quantile(rates, 0.5))
await db.close()
