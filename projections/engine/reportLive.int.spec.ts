import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { reportLive } from './reportLive.ts'

const MODELS = ['one', 'two', 'three'].map((name) => ({ name, version: 2 }))

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  await db.pool.query('truncate projection_checkpoint')
  for (const { name, version } of MODELS)
    await db.pool.query('insert into projection_checkpoint (name, version) values ($1, $2)', [name, version])
})
afterEach(() => vi.useRealTimers())

const liveAt = async () => {
  const { rows } = await db.pool.query('select name, live_at::text from projection_checkpoint order by name')
  return rows.map(({ live_at }) => live_at as string | null)
}
const report = (models = MODELS) => reportLive(db.database, () => models)

describe('read models at the head of the log', () => {
  it('are recorded in one statement, without those of another version', async () => {
    await db.pool.query(`update projection_checkpoint set version = 3 where name = 'two'`)
    const reports = report()
    reports.arrived()
    await reports.stop()
    const [one, three, two] = await liveAt()
    expect([one, three, two]).toEqual([one, one, null])
    expect(one).not.toBeNull()
  })

  it('are recorded again every two seconds, unless there are more events to read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const [current, late] = [report(MODELS.slice(0, 2)), report(MODELS.slice(2))]
    for (const reports of [current, late]) reports.arrived()
    await eventually(async () => expect(await liveAt()).not.toContain(null))
    const before = await liveAt()
    late.left()
    vi.advanceTimersByTime(2_000)
    await eventually(async () => expect((await liveAt())[0]).not.toBe(before[0]))
    for (const reports of [current, late]) await reports.stop()
    const [one, three, two] = await liveAt()
    expect(two).toBe(one)
    expect(three).toBe(before[1])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are recorded although the checkpoint of another is locked', async () => {
    const lock = await db.pool.connect()
    const reports = report()
    try {
      await lock.query('begin')
      await lock.query(`select from projection_checkpoint where name = 'two' for update`)
      reports.arrived()
      await eventually(async () => expect((await liveAt()).filter((at) => at !== null)).toHaveLength(2))
    } finally {
      await lock.query('rollback')
      lock.release()
    }
    await reports.stop()
    expect(await liveAt()).not.toContain(null)
  })
})
