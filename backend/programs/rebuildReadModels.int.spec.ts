import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora } from '../testing/testKinora.ts'
import { runRebuildReadModels } from './rebuildReadModels.ts'

let first: TemporaryDatabase
let second: TemporaryDatabase
let server: EventStoreDbTestServer
let printed: string[]
beforeAll(async () => {
  ;[first, second] = await Promise.all([startTemporaryDatabase(), startTemporaryDatabase()])
  server = await new EventStoreDbTestServer().start()
})
afterAll(async () => {
  server.kill()
  await Promise.all([first.close(), second.close()])
})

const envOf = (database: TemporaryDatabase) => ({ DATABASE_URL: database.url, EVENTSTORE_URL: server.url })
const run = (database: TemporaryDatabase, ...args: string[]) => {
  printed = []
  return runRebuildReadModels(args, { NODE_ENV: 'test', ...envOf(database) }, (text) => printed.push(text))
}
/** Closes the test's own connections, which the program would take for processes of Kinora. */
const leave = async ({ store, pool, database }: TemporaryDatabase) => {
  await store.close()
  await database.close()
  await pool.end()
}

describe('npm run rebuild-read-models', () => {
  it('is refused while Kinora runs, and rebuilds every read model at the next start', async () => {
    const kinora = await startTestKinora({ env: envOf(first) })
    await kinora.newUser()
    expect(await run(first)).toBe(1)
    expect(printed.join()).toContain('Stop Kinora first')
    await kinora.close()
    await first.pool.query("update credit_balance set lots = '[]'")
    await leave(first)

    // The server ends the closed connections a moment later.
    await eventually(async () => expect(await run(first), printed.join()).toBe(0))
    expect(printed.join()).toContain('compare first: npm run audit -- verify --heads')
    const again = await startTestKinora({ env: envOf(first) })
    const { rows } = await again.context.pool.query('select lots from credit_balance')
    expect(rows).toEqual([{ lots: [expect.objectContaining({ id: expect.any(String) })] }])
    await again.close()
  })

  it('takes over the log of another installation only with --adopt-log', async () => {
    await leave(second)
    await expect(startTestKinora({ env: envOf(second) })).rejects.toThrow(/--adopt-log/)
    // The server ends the connections of the refused start a moment after it.
    await expect.poll(() => run(second)).toBe(0)
    await expect(startTestKinora({ env: envOf(second) })).rejects.toThrow(/--adopt-log/)
    expect(await run(second, '--adopt-log'), printed.join()).toBe(0)
    const kinora = await startTestKinora({ env: envOf(second) })
    expect((await kinora.context.pool.query('select from credit_balance')).rowCount).toBe(1)
    await kinora.close()
  })
})
