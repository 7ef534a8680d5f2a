import type pg from 'pg'
import { chainStart, derivedId, eventHash } from '../../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from '../seedLedger.ts'

export interface Named {
  readonly check: string
  readonly stream?: string | null
  readonly revision?: number | null
  readonly id?: string
  readonly wrong: RegExp
}

export interface Tampering {
  readonly what: string
  readonly does: (pool: pg.Pool) => Promise<unknown>
  readonly names: readonly Named[]
}

const { buyer, other } = LEDGER
export const account = `creditAccount-${buyer}`
export const others = `creditAccount-${other}`
export const subscription = `subscription-${buyer}`
export const book = 'invoiceBook-main'
export const delivered = `videoTask-${LEDGER.finished}`
export const waiting = `videoTask-${LEDGER.open}`
export const deliveredToOther = `videoTask-${LEDGER.spentByOther}`

export const at = (stream: string, revision: number) => `where stream = '${stream}' and revision = ${revision}`
export const sql = (text: string) => (pool: pg.Pool) => pool.query(text)

/** Appends an event with a correct chain hash. */
export async function forge(
  pool: pg.Pool,
  { stream, type, data, meta = {} }: { stream: string; type: string; data: object; meta?: object },
) {
  const { rows } = await pool.query(
    `select event.*, revision::int as revision from event where stream = $1 order by event.revision desc limit 1`,
    [stream],
  )
  const last = rows[0]
  const revision = last ? last.revision + 1 : 0
  const chain = { previousHash: last ? eventHash(last) : chainStart(stream) }
  await pool.query(`insert into event select max(position) + 1, $1, $2, $3, $4, $5, $6, now() from event`, [
    stream,
    revision,
    derivedId('forged', stream, revision),
    type,
    data,
    { actor: 'system', ...chain, ...meta },
  ])
}

/** Swaps revisions 3 and 4 of the buyer's account in the log, and optionally in the stream. */
export const swap = (inStream: boolean) => async (pool: pg.Pool) => {
  const { rows } = await pool.query<{ id: string; revision: string; position: string }>(
    `select id, revision, position from event where stream = '${account}' and revision in (3, 4) order by revision`,
  )
  const [one, two] = [rows[0]!, rows[1]!]
  const put = (id: string, revision: string, position: string) =>
    pool.query('update event set revision = $2, position = $3 where id = $1', [id, revision, position])
  const revisionOf = (own: string, others: string) => (inStream ? others : own)
  await put(one.id, inStream ? '-1' : one.revision, '-1')
  await put(two.id, revisionOf(two.revision, one.revision), one.position)
  await put(one.id, revisionOf(one.revision, two.revision), two.position)
}

export const grant = (userId: string, lotId: string, source: string, more: object = {}) => ({
  stream: `creditAccount-${userId}`,
  type: 'CreditLotGranted',
  data: { userId, lotId, source, amount: 100, expiresAt: null, at: '2026-01-10T13:00:00.000Z', ...more },
})
