import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startBenchStore } from './ratios/benchStore.ts'
import { compareClient } from './ratios/compareClient.ts'
import { compareRates } from './ratios/compareRates.ts'

/**
 * Compares appends of one event with plain INSERTs of the same row into a table with the same three indexes:
 * `npm run bench -- appends`. Each writer has a stream of its own. Every commit is flushed to disk. With EVENTSTORE_URL, the appends go
 * there. With `--client`, compares instead the CPU time of our adapter of EventStoreDB with that of its client.
 */
const WRITERS = [1, 8, 32]
const { values } = parseArgs({ options: { client: { type: 'boolean', default: false } } })

const BARE = `create table bare_event (
  position bigint generated always as identity primary key, stream text collate "C" not null, revision bigint not null,
  id uuid not null unique, type text not null, data jsonb not null, meta jsonb not null, created timestamptz not null,
  unique (stream, revision))`
const INSERT = {
  name: 'insert',
  text: 'insert into bare_event (stream, revision, id, type, data, meta, created) values ($1, $2, $3, $4, $5, $6, now())',
}

const data = { userId: randomUUID(), holdId: randomUUID(), parts: [{ lotId: randomUUID(), amount: 30 }] }
const meta = { correlationId: randomUUID(), actor: 'user:bench', schema: 1, previousHash: 'a'.repeat(64) }

const create = () => ({ id: randomUUID(), type: 'CreditsHeld', data, meta })
const run = randomUUID().slice(0, 8)
if (values.client) {
  for (const writers of WRITERS) await compareClient(writers, create, run + writers)
  process.exit()
}

const { database, store, record, close } = await startBenchStore()
const pool = database.connect(Math.max(...WRITERS))
await pool.query(BARE)
const revisions = new Map<string, number>()
const next = (stream: string) => {
  const revision = (revisions.get(stream) ?? -1) + 1
  revisions.set(stream, revision)
  return revision
}

for (const writers of WRITERS) {
  const append = (writer: number) => {
    const stream = `bench${run}-${writers}-${writer}`
    const revision = next(stream)
    return store.append(stream, revision === 0 ? 'no_stream' : revision - 1, [create()])
  }
  const insert = (writer: number) => {
    const stream = `bare-${writers}-${writer}`
    return pool.query({ ...INSERT, values: [stream, next(stream), randomUUID(), 'CreditsHeld', data, meta] })
  }
  record(`append_${writers}`, await compareRates('append', writers, { work: append }, { work: insert }))
}
await close()
