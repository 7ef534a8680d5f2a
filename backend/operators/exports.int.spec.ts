import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPool } from '../kernel/postgres/openPool.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { serveExports } from './exportRoutes.ts'

const ROWS = 30_000
const FILE = { columns: ['n'], sql: `select n from generate_series(1, ${ROWS}) n` }

let db: TemporaryDatabase
let pool: pg.Pool
beforeAll(async () => {
  db = await startTemporaryDatabase()
  pool = openPool({ ...db.connection, max: 5, idle_in_transaction_session_timeout: 200 })
})
afterAll(async () => {
  await pool.end()
  await db.close()
})

/** Returns a function that starts an export and returns its body. */
function exportsWith(reader: { stallMs: number; totalMs: number }) {
  let handler: (call: object) => Promise<unknown> = async () => {}
  const serve = (_: unknown, handle: typeof handler) => {
    handler = handle
  }
  const dependencies = { pool, files: { days: FILE }, actions: { record: async () => {} }, reader }
  const time = { timeZone: 'UTC', today: () => '2026-11-26' }
  serveExports(serve as never, { ...dependencies, time } as never)
  return async (): Promise<Readable> => {
    const ctx = { body: undefined as unknown, attachment() {}, set() {} }
    await handler({ params: { table: 'days.csv' }, query: {}, ctx })
    return ctx.body as Readable
  }
}

/** Reads until the first rows have come, and returns them. */
const firstRows = async (body: Readable) => {
  let text = ''
  while (!text.includes('\r\n1\r\n')) {
    const chunk: string | null = body.read()
    if (chunk === null) await once(body, 'readable')
    else text += chunk
  }
  return text
}

it('is whole after a pause that is longer than the connections of other requests may idle', async () => {
  const body = await exportsWith({ stallMs: 5_000, totalMs: 60_000 })()
  let text = await firstRows(body)
  // A transaction of another request has waited for too long.
  const other = await pool.connect()
  await other.query('begin')
  const { rows } = await other.query('select pg_backend_pid() as pid')
  const isIdle = () => db.pool.query('select from pg_stat_activity where pid = $1', [rows[0].pid])
  await expect.poll(async () => (await isIdle()).rowCount).toBe(0)
  other.release(true)
  for await (const chunk of body) text += chunk
  expect(text.trimEnd().split('\r\n')).toHaveLength(1 + ROWS)
  expect(pool.idleCount).toBe(pool.totalCount)
})

it.each([
  ['takes nothing for too long', { stallMs: 300, totalMs: 60_000 }],
  ['needs too long in total', { stallMs: 60_000, totalMs: 300 }],
])('frees its connection if the reader %s', async (_, reader) => {
  const body = await exportsWith(reader)()
  await firstRows(body)
  await once(body, 'close')
  expect([body.readableEnded, pool.idleCount]).toEqual([false, pool.totalCount])
})

it('is refused while four others are being read', async () => {
  const start = exportsWith({ stallMs: 60_000, totalMs: 60_000 })
  const bodies = await Promise.all([start(), start(), start(), start()])
  await expect(start()).rejects.toMatchObject({ code: 'unavailable' })
  const [first, ...others] = bodies
  first!.destroy()
  await once(first!, 'close')
  others.push(await start())
  for (const body of others) body.destroy()
  await Promise.all(others.map((body) => once(body, 'close')))
})
