import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { listUsers, readRegistrations } from '#backend/accounts/readUsers.ts'
import { COUNT_VISITS } from '#backend/analytics/countVisits.ts'
import { createPageViews } from '#backend/analytics/pageViews.ts'
import { createTraffic } from '#backend/analytics/traffic.ts'
import { seedVisits } from '../analytics/seedVisits.ts'
import { costEach } from './costOf.ts'
import type { Sample } from './sample.ts'
import { settle, startCurveDatabase } from './startCurveDatabase.ts'

const DAY_MS = 86_400_000
/** The board shows who is online by the views of the last five minutes, which are traffic and not data. */
const INGESTED_AGO_MS = 10 * 60_000
const DAYS = 90
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
/** Views that are stored in one batch and counted by one statement, as at a few hundred views a second. */
const BATCH = 10
/** Batches of a round. Few, because they add to the smallest size, and enough for CPU time that is counted in 10 ms. */
const MAX_BATCHES = 100

/** Returns what the board asks for when it is opened, and the statistics of pages. */
function boardOf(pool: pg.Pool) {
  const traffic = createTraffic(pool)
  const period = () => ({ from: dayOf(Date.now() - (DAYS - 1) * DAY_MS), to: dayOf(Date.now()) })
  const today = () => dayOf(Date.now())
  return {
    board: () =>
      Promise.all([
        traffic.overview(today(), Date.now()),
        traffic.days(period()),
        traffic.hours(today()),
        traffic.live(Date.now()),
        readRegistrations(pool, today(), period()),
        listUsers(pool, 1, 10),
      ]),
    pages: () => traffic.pages(period()),
  }
}

/** Returns a function that stores a batch of views of new visitors, and counts them. */
function ingestInto(pool: pg.Pool) {
  const pageViews = createPageViews(pool, console, () => {})
  const view = () => ({
    ...({
      at: new Date(Date.now() - INGESTED_AGO_MS).toISOString(),
      event_type: 'page_view',
      path: '/',
      status_code: 200,
      bot: false,
    } as const),
    ...{ visitor: randomUUID(), session_id: randomUUID(), user_id: null, referrer: null, user_agent: null, ip: null },
  })
  return async () => {
    await Promise.all(Array.from({ length: BATCH }, () => pageViews.record(view())))
    await pool.query({ name: 'count-visits', text: COUNT_VISITS })
  }
}

/** Measures the board and the ingestion of views with ever more views in the last 90 days. */
export async function* measureViews(sizes: readonly number[]): AsyncGenerator<Sample> {
  const db = await startCurveDatabase()
  const { pool } = db
  const { pid } = db.postgres.server
  try {
    const board = boardOf(pool)
    const ingest = ingestInto(pool)
    for (const size of sizes) {
      const { rows } = await pool.query('select count(*)::int as count from page_view')
      await seedVisits(pool, { views: size - rows[0].count, users: Math.ceil(size / 100) }, Date.now(), 'UTC')
      await settle(pool)
      for (const id of ['board', 'pages'] as const) yield { id, size, ...(await costEach(pid, board[id])) }
      const batch = await costEach(pid, ingest, MAX_BATCHES)
      yield { id: 'ingest', size, wall_ms: batch.wall_ms / BATCH, cpu_ms: batch.cpu_ms / BATCH }
    }
  } finally {
    await db.close()
  }
}
