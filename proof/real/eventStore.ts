import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { createEventStoreDb } from '#backend/kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { startKinora, walkJourney } from './journey.ts'
import { type Part, Skipped } from './part.ts'

const DOCTOR = path.resolve(import.meta.dirname, '../../backend/programs/doctor.ts')

/** An EventStoreDB or KurrentDB keeps the events. */
export const EVENT_STORE_PARTS: readonly Part[] = [
  {
    name: 'EventStoreDB',
    async run({ folder }) {
      const { EVENTSTORE_URL: url, EVENTSTORE_CA: ca } = process.env
      if (!url) throw new Skipped('EVENTSTORE_URL is not set: no registry has the server')
      const store = createEventStoreDb({ url, ca })
      assert.equal(await store.releaseFault(), undefined)
      await store.close()
      const env = { DATA_DIR: path.join(folder, 'data'), EVENTSTORE_URL: url, ...(ca && { EVENTSTORE_CA: ca }) }
      await using kinora = await startKinora(env)
      await walkJourney(kinora)
      const { stdout } = spawnSync(process.execPath, [DOCTOR], { env: { ...process.env, ...env }, encoding: 'utf8' })
      return /^ok event log: (.*)$/m.exec(stdout)?.[1] ?? ''
    },
  },
]
