import { setTimeout as delay } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { notify } from '../../kernel/postgres/notify.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Calendar } from '../../kernel/time.ts'
import { aboutMail } from '../keys/keyRing.ts'
import { type SealingKey, seal, unseal } from '../keys/seal.ts'
import type { Mail, OutgoingMail } from '../mailer.port.ts'

/** Change notification for new emails. Its ids are email ids. */
export const OUTGOING_MAILS = 'outgoingMails'

/** Time for which the operator sees the subjects of emails, ms. */
const SUBJECTS_MS = 90 * 24 * 3_600_000

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Creates the transactional outbox. An email is stored in the transaction of the change that causes it, so it survives
 * an outage of the mail server. It is encrypted, because it can contain a token, and is deleted after delivery.
 * @param sends false where no mail server will ever take the emails; they are not stored then
 */
export function createOutbox(database: Database, key: SealingKey, calendar: Calendar = Date.now, sends = true) {
  const execute = <T extends object>(sql: string, parameters: unknown[] = []) => query<T>(database, sql, parameters)

  return {
    /** @param lifetimeMs time after which an undelivered email is dropped */
    async put(tx: EntityManager, userId: string, mail: Mail, lifetimeMs: number): Promise<void> {
      if (!sends) return
      const id = uuid7()
      const sealed = seal(key, Buffer.from(JSON.stringify(mail)), aboutMail(id, userId))
      const at = calendar()
      await query(
        tx,
        `with sent as (insert into sent_mail (id, user_id, at, subject) values ($1, $2, $3, $4))
         insert into outgoing_mail (id, user_id, sealed, expires_at) values ($5, $6, $7, $8)`,
        [id, userId, new Date(at), mail.subject, id, userId, sealed, new Date(at + lifetimeMs)],
      )
      await notify(tx, { name: OUTGOING_MAILS, ids: [id] })
    },

    /** Returns the subjects of the newest emails to a user. */
    sent: (userId: string, limit: number) =>
      execute<{ id: string; at: string; subject: string }>(
        'select id, at, subject from sent_mail where user_id = $1 order by id desc limit $2',
        [userId, limit],
      ),

    /** Forgets the subjects of emails that are older than 90 days. */
    async forgetOld(): Promise<void> {
      await execute('delete from sent_mail where at < $1', [new Date(calendar() - SUBJECTS_MS)])
    },

    /** Returns the ids of all stored emails, oldest first. */
    async waiting(): Promise<string[]> {
      return (await execute<{ id: string }>('select id from outgoing_mail order by id')).map(({ id }) => id)
    },

    /** Returns an email; undefined if it was delivered, has expired, or its account was deleted. */
    async open(id: string): Promise<OutgoingMail | undefined> {
      const [row] = await execute<{ user_id: string; sealed: string }>(
        'select user_id, sealed from outgoing_mail where id = $1 and expires_at > $2',
        [id, new Date(calendar())],
      )
      if (!row) return undefined
      return {
        ...(JSON.parse(unseal(key, row.sealed, aboutMail(id, row.user_id)).toString()) as Mail),
        id,
        userId: row.user_id,
      }
    },

    /** Resolves when the outbox is empty, or after `timeoutMs`. */
    async empty(timeoutMs: number): Promise<void> {
      const until = Date.now() + timeoutMs
      while ((await this.waiting()).length > 0 && Date.now() < until) await delay(10)
    },

    async remove(id: string): Promise<void> {
      await execute('delete from outgoing_mail where id = $1', [id])
    },
  }
}
