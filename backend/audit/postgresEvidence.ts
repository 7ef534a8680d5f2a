import type pg from 'pg'
import { toGlobalPosition } from '../kernel/eventsourcing/postgres/postgresRows.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { missingPlace, type Place } from './deviation.ts'
import type { Head, RememberedHeads } from './hashChain.ts'
import type { RowSnapshot } from './readModelProof.ts'

const PAGE = 5_000

/** Connections that can write nothing. */
export const readOnlyPool = (connection: pg.ClientConfig): pg.Pool =>
  openPool({
    ...connection,
    max: 4,
    // Awaited by the pool, so that it comes before all else.
    onConnect: (client) =>
      client.query(`set default_transaction_read_only = on; set timezone = 'UTC'`) as unknown as undefined,
  })

export interface PostgresSnapshot extends RowSnapshot {
  /** Undefined where the database is older than the table. */
  heads(): Promise<RememberedHeads | undefined>
  close(): Promise<void>
}

/** The read models as they are now: what is written meanwhile is not seen. */
export async function takeSnapshot(pool: pg.Pool): Promise<PostgresSnapshot> {
  const client = await pool.connect()
  await client.query('begin isolation level repeatable read read only')
  async function* rows(table: string) {
    for (let after = '00000000-0000-0000-0000-000000000000', first = true; ; first = false) {
      const { rows } = await client.query<{ id: string; row: object }>(
        `select id, to_jsonb(t) as row from "${table}" t where ${first ? 'id >= $1' : 'id > $1'} order by id limit ${PAGE}`,
        [after],
      )
      yield* rows
      if (rows.length < PAGE) return
      after = rows.at(-1)!.id
    }
  }
  return {
    rows,
    async checkpoint(model) {
      const { rows } = await client.query<{ version: number; position: string | null }>(
        'select version, position from projection_checkpoint where name = $1',
        [model],
      )
      return rows[0]
    },
    async heads() {
      const found = await client.query(`select to_regclass('chain_head') as oid`)
      if (found.rows[0].oid === null) return undefined
      const heads = new Map<string, Head>()
      for await (const { row } of rows('chain_head')) {
        const { stream, revision, event_id: id, hash } = row as Head & { event_id: string }
        heads.set(stream, { stream, revision, id, hash })
      }
      return { by: 'The table chain_head', heads }
    },
    async close() {
      await client.query('rollback')
      client.release()
    },
  }
}

/**
 * Positions of the table `event` have no gaps, whatever the stream; and no projection has read further than the log goes.
 */
export async function positionGaps(pool: pg.Pool): Promise<{ place: Place; wrong: string }[]> {
  const { rows } = await pool.query<{ kind: 'gap' | 'cut'; position: string; name: string }>(
    `with head as (select coalesce(max(position), 0) as head, count(*) as events from event)
     (select 'gap' as kind, (before + 1)::text as position, (position - before - 1)::text as name
      from (select position, lag(position, 1, 0::bigint) over (order by position) as before from event
            where (select head <> events from head)) e
      where position <> before + 1 order by position limit 1000)
     union all
     (select 'cut', position, name from projection_checkpoint, head where position::numeric > head.head order by name)`,
  )
  return rows.map(({ kind, position, name }) => ({
    place: { ...missingPlace('', null), stream: null, position: toGlobalPosition(position) },
    wrong:
      kind === 'gap'
        ? `${name === '1' ? 'The event' : `${name} events`} from this position of the log on ${name === '1' ? 'is' : 'are'} missing.`
        : `${name} has read the log up to here; it ends before.`,
  }))
}
