import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { videoTasks } from '../tasks/videoTask.ts'
import { engineRuns } from '../testing/engineRuns.ts'
import { tasksAtStages } from '../testing/taskEvents.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
afterEach(() => stopAll())

const { run, stopAll } = engineRuns(() => db)
const next = videoTasks.version + 1
const version = async () => (await db.pool.query('select version from projection_checkpoint')).rows[0]?.version
const tasks = async () => (await db.pool.query('select id from video_task')).rows.length
/** Says that a process of the next version has kept the read model up to date until some time ago. */
const reported = (ago: string) =>
  db.pool.query('update projection_checkpoint set version = $1, live_at = clock_timestamp() - $2::interval', [
    next,
    ago,
  ])

it('a read model of a newer version is taken back once no process has reported on it for two minutes', async () => {
  for (const [first, ...others] of tasksAtStages(uuid7(), 10))
    for (const event of [first!, ...others])
      await db.store.append(`videoTask-${first!.data.taskId}`, 'any', [{ id: uuid7(), ...event }])
  const before = run(videoTasks)
  await vi.waitFor(async () => expect(await tasks()).toBeGreaterThan(0), 10_000)
  await before.stop()
  const shown = await tasks()
  await reported('115 s')
  run(videoTasks)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await version()).toBe(next)
  await reported('121 s')
  await vi.waitFor(async () => expect([await version(), await tasks()]).toEqual([videoTasks.version, shown]), 10_000)
})
