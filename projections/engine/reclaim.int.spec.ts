import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { videoTasks } from '../tasks/videoTask.ts'
import { engineRuns } from '../testing/engineRuns.ts'
import { tasksAtStages } from '../testing/taskEvents.ts'
import type { AnyProjection } from './projection.ts'

let db: TemporaryDatabase
let shown: number
beforeAll(async () => {
  db = await startTemporaryDatabase()
  for (const [first, ...others] of tasksAtStages(uuid7(), 10))
    for (const event of [first!, ...others])
      await db.store.append(`videoTask-${first!.data.taskId}`, 'any', [{ id: uuid7(), ...event }])
  run(videoTasks)
  await eventually(async () => expect(await tasks()).toBeGreaterThan(0))
  await stopAll()
  shown = await tasks()
})
afterAll(() => db.close())
afterEach(() => stopAll())

const { run, stopAll } = engineRuns(() => db)
const next = videoTasks.version + 1
const version = async () => (await db.pool.query('select version from projection_checkpoint')).rows[0]?.version
const tasks = async () => (await db.pool.query('select id from video_task')).rows.length
const becomes = (values: string) => db.pool.query(`update projection_checkpoint set ${values}`)
/** Runs a read model until it has left the rows to a newer version, and ends it. */
async function standBy(projection: AnyProjection) {
  const { onLive } = run(projection)
  await expect.poll(() => onLive).toHaveBeenCalled()
  await stopAll()
}

it.each([
  ['the last report on it', 'live_at'],
  ['it was swapped in without a report', 'live_at = null, updated_at'],
])('a read model of a newer version is taken back two minutes after %s', async (_, time) => {
  const ago = (age: string) => becomes(`version = ${next}, ${time} = clock_timestamp() - interval '${age}'`)
  await ago('115 s')
  await standBy(videoTasks)
  expect(await version()).toBe(next)
  await ago('121 s')
  run(videoTasks)
  await eventually(async () => expect([await version(), await tasks()]).toEqual([videoTasks.version, shown]))
})

it('a read model that was just swapped in is not taken back before the first report', async () => {
  await becomes(`version = 1, updated_at = now() - interval '1 day'`)
  run(videoTasks)
  await eventually(async () => expect(await version()).toBe(videoTasks.version))
  await stopAll()
  await becomes('live_at = null')
  await standBy({ ...videoTasks, version: 1 })
  expect(await version()).toBe(videoTasks.version)
})
