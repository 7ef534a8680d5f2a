import type pg from 'pg'
import { chainStart, derivedId, eventHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { CREDIT_ACCOUNT } from '../events.ts'
import { longAccount } from './longAccount.ts'

const BATCH = 5_000

/** Writes the events of a {@link longAccount} to the event table, which is faster than sending the commands. */
export async function storeLongAccount(pool: pg.Pool, userId: string, count: number): Promise<void> {
  const stream = `${CREDIT_ACCOUNT}-${userId}`
  let previousHash = chainStart(stream)
  let rows: object[] = []
  let revision = 0
  const write = () =>
    pool.query(
      `insert into event select (select coalesce(max(position), 0) from event) + row_number() over (order by revision),
         stream, revision, id, type, data, meta, now()
       from jsonb_to_recordset($1::jsonb) as e(stream text, revision bigint, id uuid, type text, data jsonb, meta jsonb)`,
      [JSON.stringify(rows)],
    )
  for (const { type, data } of longAccount(userId, count)) {
    const id = derivedId('long account', userId, revision)
    const row = { stream, revision, id, type, data, meta: { actor: 'system', schema: 1, previousHash } }
    previousHash = eventHash(row)
    rows.push(row)
    revision++
    if (rows.length < BATCH && revision < count) continue
    await write()
    rows = []
  }
  await pool.query('analyze event')
}
