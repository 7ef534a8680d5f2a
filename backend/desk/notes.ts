import type pg from 'pg'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'

export interface Note {
  readonly id: string
  readonly at: string
  readonly operator: string
  readonly text: string
}

/** Notes of a person that are shown. */
const SHOWN = 50

/** Creates the notes of operators about people. They are deleted with the account. */
export const createNotes = (pool: Pick<pg.Pool, 'query'>) => ({
  /** @throws Rejection not_found */
  async write(userId: string, text: string, operator: string): Promise<void> {
    if (!isUuid(userId)) throw new Rejection('not_found', 'There is no such account.')
    const { rowCount } = await pool.query(
      `insert into desk_note (id, user_id, at, operator, text)
       select $1::uuid, id, $2::timestamptz, $3, $4 from user_account where id = $5 for key share`,
      [uuid7(), new Date(), operator, text, userId],
    )
    if (rowCount === 0) throw new Rejection('not_found', 'There is no such account.')
  },

  /** Returns the newest notes about a person. */
  async list(userId: string): Promise<Note[]> {
    const { rows } = await pool.query<Omit<Note, 'at'> & { at: Date }>(
      'select id, at, operator, text from desk_note where user_id = $1 order by id desc limit $2',
      [userId, SHOWN],
    )
    return rows.map((note) => ({ ...note, at: note.at.toISOString() }))
  },
})
