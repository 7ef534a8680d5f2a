import { setTimeout as delay } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { type Claimed, type Outbox as Messages, type NewMessage, putMessages } from '../../kernel/outbox/outbox.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import { type Transaction, transaction } from '../../kernel/postgres/transaction.ts'
import type { Calendar } from '../../kernel/time.ts'
import { aboutMail } from '../keys/keyRing.ts'
import { type SealingKey, seal, unseal } from '../keys/seal.ts'
import type { Mail, OutgoingMail } from '../mailer.port.ts'

/** Change notification of earlier releases for new emails. Its ids are email ids. */
export const OUTGOING_MAILS = 'outgoingMails'

/** All emails leave by one server. */
const TARGET = 'mail'
/** Time for which the operator sees the subjects of emails, ms. */
const SUBJECTS_MS = 90 * 24 * 3_600_000

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Creates the door of emails to the outbox. An email is stored in the transaction of the change that causes it, so it survives
 * an outage of the mail server. It is encrypted, because it can contain a token, and its text is removed after delivery.
 * @param sends false where no mail server will ever take the emails; they are not stored then
 */
export function createOutbox(
  database: Database,
  messages: Pick<Messages, 'put' | 'backlog'>,
  key: SealingKey,
  calendar: Calendar = Date.now,
  sends = true,
) {
  const execute = <T extends object>(sql: string, parameters: unknown[] = []) => query<T>(database, sql, parameters)

  return {
    /** @param lifetimeMs time after which an undelivered email is dropped */
    async put(tx: EntityManager, userId: string, mail: Mail, lifetimeMs: number): Promise<void> {
      if (!sends) return
      const id = uuid7()
      const sender = { query: (sql: string, values: readonly unknown[]) => query(tx, sql, values) }
      const at = calendar()
      await sender.query('insert into sent_mail (id, user_id, at, subject) values ($1, $2, $3, $4)', [
        ...[id, userId, new Date(at), mail.subject],
      ])
      const body = seal(key, Buffer.from(JSON.stringify(mail)), aboutMail(id, userId))
      await messages.put(sender, [
        mailMessage({ id, userId, body, expiresAt: new Date(at + lifetimeMs) }, mail.subject),
      ])
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

    /** Returns a stored email; undefined if it has expired. */
    open({ id, userId, body, expiresAt }: Pick<Claimed, 'id' | 'userId' | 'body' | 'expiresAt'>) {
      if (expiresAt && expiresAt.getTime() <= calendar()) return undefined
      return {
        ...(JSON.parse(unseal(key, body, aboutMail(id, userId)).toString()) as Mail),
        id,
        userId,
      } as OutgoingMail
    },

    /** Resolves when no email waits, or after `timeoutMs`. */
    async empty(timeoutMs: number): Promise<void> {
      const until = Date.now() + timeoutMs
      while ((await messages.backlog('mail')).waiting > 0 && Date.now() < until) await delay(10)
    },

    /** Returns the ids of the emails that an earlier release queued, oldest first. */
    async queued(): Promise<string[]> {
      return (await execute<{ id: string }>('select id from outgoing_mail order by id')).map(({ id }) => id)
    },

    /** Moves an email that an earlier release queued to the outbox. */
    move: (id: string): Promise<void> => transaction(database, (tx) => moveQueuedMails(tx, id)),
  }
}

type SealedMail = Pick<NewMessage, 'id' | 'userId' | 'body' | 'expiresAt'>

const mailMessage = (mail: SealedMail, about: string): NewMessage => ({
  ...mail,
  channel: 'mail',
  target: TARGET,
  about,
})

/** Moves the emails that an earlier release queued, or one of them, to the outbox within the caller's transaction. */
export async function moveQueuedMails(tx: Pick<Transaction, 'query'>, id?: string): Promise<void> {
  const rows = await tx.query<SealedMail & { about: string }>(
    `delete from outgoing_mail m where $1::uuid is null or id = $1
     returning id, user_id as "userId", sealed as body, expires_at as "expiresAt",
       coalesce((select subject from sent_mail where sent_mail.id = m.id), '') as about`,
    [id ?? null],
  )
  const messages = rows.map(({ about, ...mail }) => mailMessage(mail, about))
  await putMessages(tx, messages, new Date())
}
