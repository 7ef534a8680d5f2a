import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ENTITIES, MIGRATIONS } from '#backend/app/schema.ts'
import { openDatabase } from '#backend/kernel/postgres/orm.ts'
import type { TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'

/** Opens a database as if it were on another host. @param roundTripMs 2 or more, because timers count milliseconds */
export async function openFarDatabase({ connection }: TemporaryDatabase, roundTripMs: number) {
  const to = `${connection.host}/.s.PGSQL.${connection.port}`
  const workerData = { to, delayMs: roundTripMs / 2 }
  const network = new Worker(new URL('./delayThread.ts', import.meta.url), { workerData })
  const [port] = await once(network, 'message')
  const database = await openDatabase({ ...connection, host: '127.0.0.1', port }, ENTITIES, MIGRATIONS)
  return {
    database,
    async close() {
      await database.close()
      await network.terminate()
    },
  }
}
