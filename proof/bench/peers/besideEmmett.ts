import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import { cpuTime } from '../analytics/cpuTime.ts'
import { compareSides } from '../ratios/compareRates.ts'
import { startDurableDatabase } from '../ratios/durableDatabase.ts'
import { type PeerRow, peerRow } from './report.ts'

const NAME = '@event-driven-io/emmett-postgresql'
const WRITERS = [1, 8, 32]
const CONNECTIONS = 10

/** The part of Emmett's PostgreSQL store that is compared. */
interface EmmettStore {
  appendToStream(
    stream: string,
    events: readonly object[],
    options: { expectedStreamVersion: bigint | 'STREAM_DOES_NOT_EXIST' },
  ): Promise<{ nextExpectedStreamVersion: bigint }>
  readonly schema: { migrate(): Promise<unknown> }
}
interface Emmett {
  getPostgreSQLEventStore(
    connectionString: string,
    options: { connectionOptions: { pooled: true; pool: pg.Pool } },
  ): EmmettStore
}

/**
 * Loads Emmett from the folder that `KINORA_BENCH_EMMETT` names. It is no dependency of Kinora, because it states no
 * licence. Returns undefined if there is no such folder.
 */
export async function loadEmmett(): Promise<{ emmett: Emmett; version: string } | undefined> {
  const folder = process.env.KINORA_BENCH_EMMETT
  if (!folder) return undefined
  const require = createRequire(path.resolve(folder, 'package.json'))
  const entry = require.resolve(NAME)
  const { version } = require(path.join(path.dirname(entry), '../package.json')) as { version: string }
  return { emmett: (await import(pathToFileURL(entry).href)) as Emmett, version }
}

/** Compares appends of one event. Each writer has a stream of its own and expects its revision. */
export async function besideEmmett({ getPostgreSQLEventStore }: Emmett): Promise<PeerRow[]> {
  const database = await startDurableDatabase()
  // The connections that our store has, too.
  const pool = database.connect(CONNECTIONS)
  const theirs = getPostgreSQLEventStore(database.url, { connectionOptions: { pooled: true, pool } })
  await theirs.schema.migrate()
  const cpu = () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000 + cpuTime(database.pid)
  const data = { userId: randomUUID(), holdId: randomUUID(), parts: [{ lotId: randomUUID(), amount: 30 }] }
  const rows: PeerRow[] = []
  for (const writers of WRITERS) {
    const revisions = Array.from({ length: writers }, () => -1)
    const append = async (writer: number) => {
      const expected = revisions[writer]!
      const event = { id: randomUUID(), type: 'CreditsHeld', data }
      await database.store.append(`ours-${writers}-${writer}`, expected < 0 ? 'no_stream' : expected, [event])
      revisions[writer] = expected + 1
    }
    const versions: (bigint | undefined)[] = []
    const appendTheirs = async (writer: number) => {
      const options = { expectedStreamVersion: versions[writer] ?? ('STREAM_DOES_NOT_EXIST' as const) }
      const event = { type: 'CreditsHeld', data }
      const stream = `theirs-${writers}-${writer}`
      versions[writer] = (await theirs.appendToStream(stream, [event], options)).nextExpectedStreamVersion
    }
    const found = await compareSides(
      'append beside Emmett',
      writers,
      { work: append, cpu },
      { work: appendTheirs, cpu },
    )
    rows.push(peerRow('append one event', 'Emmett', writers, found))
  }
  await database.store.close()
  await database.close()
  return rows
}
