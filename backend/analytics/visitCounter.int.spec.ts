import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { startProgram } from '../testing/program.ts'
import { COUNT_VISITS } from './countVisits.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-test-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 }))

it('keeps and counts every acknowledged visit after a kill under load', async () => {
  const program = await startProgram({ DATA_DIR: dataDir, PORT: '0' })
  const answered: string[] = []
  const send = async (_: unknown, n: number) => {
    for (let view = 0; ; view++) {
      const session_id = `${n}-${view}`
      const body = JSON.stringify({ path: `/page-${view % 7}`, session_id, user_agent: 'Firefox/144.0' })
      const answer = await fetch(`${program.url}/api/v1/analytics/page-view`, { method: 'POST', body })
      if (answer.status === 202) answered.push(session_id)
    }
  }
  const load = Promise.allSettled(Array.from({ length: 16 }, send))
  await expect.poll(() => answered.length).toBeGreaterThan(300)
  await program.kill()
  await load

  const { connection, stop } = await connectDatabase({ databaseUrl: undefined, dataDir }, () => {})
  const pool = openPool(connection)
  // The next start does this.
  await pool.query(COUNT_VISITS)
  const { rows: kept } = await pool.query<{ session_id: string }>('select session_id from page_view')
  const { rows: counted } = await pool.query(
    `select (select sum(pv) from traffic_day)::int as days, (select sum(uv) from traffic_day)::int as visitors,
       (select sum(pv) from traffic_hour)::int as hours, (select sum(pv) from traffic_page)::int as pages`,
  )
  await pool.end()
  await stop()
  const ids = new Set(kept.map(({ session_id }) => session_id))
  expect(answered.filter((id) => !ids.has(id))).toEqual([])
  expect(ids.size).toBe(kept.length)
  const each = kept.length
  expect(counted).toEqual([{ days: each, visitors: each, hours: each, pages: each }])
})
