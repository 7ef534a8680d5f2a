import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Mail } from '../mailer.port.ts'
import type { UserAccount } from '../tables.ts'
import { composeMail, type MailKind } from './composeMail.ts'
import type { Outbox } from './outbox.ts'

/** Time for which an email is worth sending, ms. */
export const LIFETIME_MS = 3 * 24 * 3_600_000

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
    /** Returns those of the emails that {@link sendOnce} has not queued. */
    async unsent<T extends { readonly userId: string; readonly key: string }>(mails: readonly T[]): Promise<T[]> {
      if (mails.length === 0) return []
      const sql = `select r.user_id || ' ' || r.key as sent from sent_reminder r
        join jsonb_to_recordset($1::jsonb) m ("userId" uuid, key text) on r.user_id = m."userId" and r.key = m.key`
      const rows = await query<{ sent: string }>(database, sql, [JSON.stringify(mails)])
      const sent = new Set(rows.map((row) => row.sent))
      return mails.filter(({ userId, key }) => !sent.has(`${userId} ${key}`))
    },

    /** Queues an email once per user and `key`. Records the key in the same transaction. */
    async sendOnce(
      userId: string,
      key: string,
      kind: MailKind,
      values: Readonly<Record<string, string>>,
      attachments: Mail['attachments'] = [],
    ) {
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
        await outbox.put(tx, userId, { ...composeMail(kind, user, link, values), attachments }, LIFETIME_MS)
      })
    },
  }
}
