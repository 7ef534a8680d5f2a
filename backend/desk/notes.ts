import type pg from 'pg'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'

export interface Note {
  readonly id: string
  readonly at: string
  readonly operator: string
  readonly text: string
}

/** SQLSTATE of a row that refers to none. */
const FOREIGN_KEY_VIOLATION = '23503'

/** Notes of a person that are shown. */
const SHOWN = 50

/** Creates the notes of operators about people. They are deleted with the account. */
export const createNotes = (pool: Pick<pg.Pool, 'query'>) => ({
  /** @throws Rejection not_found */
  async write(userId: string, text: string, operator: string): Promise<void> {
    const unknown = new Rejection('not_found', 'There is no such account.')
    if (!isUuid(userId)) throw unknown
    const sql = 'insert into desk_note (id, user_id, at, operator, text) values ($1, $2, $3, $4, $5)'
    await pool.query(sql, [uuid7(), userId, new Date(), operator, text]).catch((error) => {
      throw error.code === FOREIGN_KEY_VIOLATION ? unknown : error
    })
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
