import type { Mail, Mailer } from '../../accounts/mailer.port.ts'
import { instant } from '../../kernel/http/instant.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'

export type StoredMail = Mail & { readonly sentAt: string }

/** Stores emails in the database instead of sending them. `/dev/mailbox` shows them. For development only. */
export interface Mailbox extends Mailer {
  /** Returns up to 100 emails, newest first: those to one recipient, or to all. */
  list(to?: string): Promise<StoredMail[]>
}

export function createMailbox(database: Database): Mailbox {
  return {
    async send({ id, userId, to, subject, text, html }) {
      await query(
        database,
        `insert into mailbox (id, user_id, recipient, subject, text, html, sent_at) values ($1, $2, $3, $4, $5, $6, now())
         on conflict do nothing`,
        [id, userId, to, subject, text, html],
      )
      return 'sent'
    },

    async list(to) {
      const rows = await query<StoredMail>(
        database,
        `select recipient as "to", subject, text, html, sent_at as "sentAt" from mailbox
         where $1::text is null or recipient = lower($2) order by id desc limit 100`,
        [to ?? null, to ?? null],
      )
      return rows.map((mail) => ({ ...mail, sentAt: instant(mail.sentAt) }))
    },

    close: async () => {},
  }
}

/** Deletes a user's emails as part of the account's erasure. */
export const eraseMailbox = (database: Database, userId: string) =>
  query(database, 'delete from mailbox where user_id = $1', [userId])
