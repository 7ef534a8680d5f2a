import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { UserAccount } from '../tables.ts'
import { composeMail, type MailKind } from './composeMail.ts'
import type { Outbox } from './outbox.ts'

const LIFETIME_MS = 3 * 24 * 3_600_000

/**
 * Creates the sender of emails about plans, credits and keys.
 * @param page what the link opens
 */
export function createReminders(
  database: Database,
  outbox: Outbox,
  publicUrl: () => string,
  page = 'profile#subscription',
) {
  return {
    /** Queues an email once per user and `key`. Records the key in the same transaction. */
    async sendOnce(userId: string, key: string, kind: MailKind, values: Readonly<Record<string, string>>) {
      await database.em.fork().transactional(async (tx) => {
        const insert = 'insert into sent_reminder (user_id, key) values ($1, $2) on conflict do nothing returning key'
        const isNew = await query(tx, insert, [userId, key])
        if (isNew.length === 0) return
        const [user] = await query<Pick<UserAccount, 'email' | 'fullName' | 'language'>>(
          tx,
          'select email, full_name as "fullName", language from user_account where id = $1',
          [userId],
        )
        const isErased = !user
        if (isErased) return
        const link = `${publicUrl()}${user.language === 'zh' ? '/zh' : ''}/${page}`
        await outbox.put(tx, userId, composeMail(kind, user, link, values), LIFETIME_MS)
      })
    },
  }
}
