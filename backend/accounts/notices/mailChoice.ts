import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'

export type MailChoice = ReturnType<typeof createMailChoice>

/** Creates the store of who wants a mail when a video is done. */
export const createMailChoice = (database: Database) => ({
  async read(userId: string): Promise<boolean> {
    const sql = 'select mail_when_done as mail from user_account where id = $1'
    const [row] = await query<{ mail: boolean }>(database, sql, [userId])
    return row?.mail ?? false
  },
  async save(userId: string, on: boolean): Promise<void> {
    await query(database, 'update user_account set mail_when_done = $1 where id = $2', [on, userId])
  },
})
