import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import type { GlobalPosition } from '../eventsourcing/eventStore.port.ts'
import { type Change, openChanges } from './changes.ts'
import { notify } from './notify.ts'
import { startTemporaryPostgres } from './testing/temporaryPostgres.ts'

let postgres: Awaited<ReturnType<typeof startTemporaryPostgres>>
beforeAll(async () => {
  postgres = await startTemporaryPostgres()
})
afterAll(() => postgres.close())

it('listens only after the first call to hear, and hears all changes of a commit in order', async () => {
  const { socketDir: host, port, user, database } = postgres.server
  const changes = openChanges({ host, port, user, database, application_name: 'hears' })
  const heard: Change[] = []
  changes.subscribe((change) => heard.push(change))
  const sessions = async () =>
    (await postgres.pool.query(`select from pg_stat_activity where application_name = 'hears'`)).rowCount
  expect(await sessions()).toBe(0)
  changes.hear()
  const position = '7' as GlobalPosition
  const commit = [
    { name: 'videoTasks', position, ids: ['task'] },
    { name: 'creditBalances', position, ids: ['user'] },
  ]
  await eventually(async () => {
    await notify(postgres.pool, ...commit)
    expect(heard.slice(0, 2)).toEqual(commit)
  })
  await changes.waitFor(['videoTasks', 'creditBalances'], position)
  await changes.close()
  await eventually(async () => expect(await sessions()).toBe(0))
})
