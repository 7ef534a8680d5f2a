import type pg from 'pg'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { transaction } from '../../kernel/postgres/transaction.ts'
import type { Clock } from '../../kernel/time.ts'

/** Time after which an equal order is a new one, whatever its client says. */
const REMEMBERED = "interval '15 minutes'"
/** Time in which a first attempt may arrive after its own repetition, which did not wait for it. */
const OVERTAKEN = "interval '30 seconds'"

/** The order that a repetition means: one that was not yet repeated as often, if there are several. */
const REPEATED = `update api_order set repeats = greatest(repeats, $4) where id = (
  select id from api_order where key_id = $1 and body_hash = $2 and ordered_at > $3::timestamptz - ${REMEMBERED}
  order by repeats >= $4, ordered_at desc limit 1) returning id`
/** The order whose repetition has overtaken this first attempt. */
const OVERTOOK = `update api_order set has_first = true where id = (
  select id from api_order where key_id = $1 and body_hash = $2 and ordered_at > $3::timestamptz - ${OVERTAKEN}
  and not has_first and repeats > $4 order by ordered_at limit 1) returning id`

/** A client that repeats nothing fills no memory. */
const FORGET = `delete from api_order where id in (
  select id from api_order where key_id = $1 and ordered_at < $2::timestamptz - ${REMEMBERED} for update skip locked)`

/** The task that an order creates, and whether it may have been created before. */
export type Subject = Readonly<{ id: string; isRetry: boolean }>

export type Repeats = ReturnType<typeof createRepeats>

/**
 * Creates the memory of orders without an `Idempotency-Key`. OpenAI's clients repeat a create by themselves when its answer is
 * lost, and count in `x-stainless-retry-count`: a repetition gets the task of the first attempt, in whichever order both
 * arrive. Equal orders that are no repetition stay several videos. See docs/decisions/0067-one-create-one-charge.md.
 */
export function createRepeats(database: Database, clock: Clock) {
  return {
    /**
     * Returns the task of an order. It is remembered before it is created.
     * @param retryCount what the client says; undefined if it says nothing, and never repeats
     */
    async subjectOf(keyId: string, bodyHash: Buffer, retryCount: number | undefined): Promise<Subject> {
      if (retryCount === undefined) return { id: uuid7(), isRetry: false }
      const isFirst = retryCount === 0
      return transaction(database, async (tx) => {
        const lock = `order ${keyId} ${bodyHash.toString('hex')}`
        await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock])
        const order = [keyId, bodyHash, new Date(clock())]
        const [known] = await tx.query<{ id: string }>(isFirst ? OVERTOOK : REPEATED, [...order, retryCount])
        if (known) return { id: known.id, isRetry: true }
        const id = uuid7()
        await tx.query(FORGET, [keyId, order[2]])
        await tx.query(
          `insert into api_order (key_id, body_hash, ordered_at, repeats, has_first, id) values ($1, $2, $3, $4, $5, $6)`,
          [...order, retryCount, isFirst, id],
        )
        return { id, isRetry: false }
      })
    },
  }
}

/** Deletes the memory of orders that no repetition can mean any more. */
export const deleteOldOrders = (pool: Pick<pg.Pool, 'query'>, clock: Clock) =>
  pool.query(`delete from api_order where ordered_at < $1::timestamptz - ${REMEMBERED}`, [new Date(clock())])
