import type pg from 'pg'
import { isUuid, uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import type { Clock } from '../../kernel/time.ts'
import type { AboutText, Decrypt } from '../promptCipher.port.ts'
import { refuseDeletedUser } from '../refuseDeletedUser.ts'
import type { VideoOrder } from '../v1/v1.contract.ts'

const VALID_MS = 5 * 60_000
/** Time for which the order of a quote finds the video that it has made, however often it is repeated. */
const REMEMBERED = "interval '24 hours'"

export interface Quote {
  readonly order: VideoOrder
  readonly credits: number
  readonly validUntil: number
}

interface QuotesOptions {
  readonly pool: Pick<pg.Pool, 'query'>
  readonly clock: Clock
  readonly encrypt: (about: AboutText, text: string) => Promise<string>
  readonly decrypt: Decrypt
}

const aboutOrder = (userId: string, row: string): AboutText => ({ purpose: 'quote', userId, row })

export type Quotes = ReturnType<typeof createQuotes>

/**
 * Creates the prices that programs were told. A quote holds no credits. Its id becomes the id of the video, so that the same
 * quote never makes two. See docs/decisions/0075-assistants-and-connections.md.
 */
export function createQuotes({ pool, clock, encrypt, decrypt }: QuotesOptions) {
  return {
    async make(userId: string, order: VideoOrder, credits: number) {
      const id = uuid7()
      const validUntil = clock() + VALID_MS
      const sealed = await encrypt(aboutOrder(userId, id), JSON.stringify(order))
      const sql = 'insert into quote (id, user_id, sealed_order, credits, valid_until) values ($1, $2, $3, $4, $5)'
      await pool.query(sql, [id, userId, sealed, credits, new Date(validUntil)]).catch(refuseDeletedUser)
      return { id, validUntil }
    },

    /** Returns a quote of a user, also one that is no longer valid; undefined if it is not known. */
    async find(userId: string, id: string): Promise<Quote | undefined> {
      if (!isUuid(id)) return undefined
      const { rows } = await pool.query<{ sealed_order: string; credits: number; valid_until: Date }>(
        'select sealed_order, credits, valid_until from quote where id = $1 and user_id = $2',
        [id, userId],
      )
      const [row] = rows
      const text = row && (await decrypt(aboutOrder(userId, id), row.sealed_order))
      if (!text) return undefined
      return { order: JSON.parse(text) as VideoOrder, credits: row.credits, validUntil: row.valid_until.getTime() }
    },
  }
}

/** Deletes quotes that no program repeats any more. */
export const deleteOldQuotes = (pool: Pick<pg.Pool, 'query'>, clock: Clock) =>
  pool.query(`delete from quote where valid_until < $1::timestamptz - ${REMEMBERED}`, [new Date(clock())])
