import { setTimeout as delay } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { CHANGE_CHANNEL } from '../../kernel/postgres/changes.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { Mail, OutgoingMail } from '../mailer.port.ts'

/** The name under which a new mail is told to whoever delivers. */
export const OUTGOING_MAILS = 'outgoingMails'

/**
 * Mails on their way. One is written in the transaction that makes what it tells of, sealed, and removed once it is
 * delivered: nothing is lost while the mail server is down, and no token lies readable in the database.
 */
export function createOutbox(database: Database, key: Buffer, now: () => number = Date.now) {
  const execute = <T extends object>(sql: string, parameters: unknown[] = []) =>
    database.em.fork().execute<T[]>(sql, parameters)

  return {
    /** @param lifeMs after which it is not worth sending any more */
    async put(tx: EntityManager, userId: string, mail: Mail, lifeMs: number): Promise<void> {
      const id = uuid7()
      await tx.execute('insert into outgoing_mail (id, user_id, sealed, expires_at) values (?, ?, ?, ?)', [
        id,
        userId,
        seal(key, Buffer.from(JSON.stringify(mail))),
        new Date(now() + lifeMs),
      ])
      const news = JSON.stringify({ name: OUTGOING_MAILS, ids: [id] })
      await tx.execute('select pg_notify(?, ?)', [CHANGE_CHANNEL, news])
    },

    async waiting(): Promise<string[]> {
      return (await execute<{ id: string }>('select id from outgoing_mail order by id')).map(({ id }) => id)
    },

    /** Undefined when it was delivered, is too old, or its user is gone. */
    async open(id: string): Promise<OutgoingMail | undefined> {
      const [row] = await execute<{ user_id: string; sealed: string }>(
        'select user_id, sealed from outgoing_mail where id = ? and expires_at > ?',
        [id, new Date(now())],
      )
      if (!row) return undefined
      return { ...(JSON.parse(unseal(key, row.sealed).toString()) as Mail), id, userId: row.user_id }
    },

    /** Settles when no mail is on its way any more, but no later than after `timeoutMs`. */
    async empty(timeoutMs: number): Promise<void> {
      const until = Date.now() + timeoutMs
      while ((await this.waiting()).length > 0 && Date.now() < until) await delay(10)
    },

    async remove(id: string): Promise<void> {
      await execute('delete from outgoing_mail where id = ?', [id])
    },
  }
}

export type Outbox = ReturnType<typeof createOutbox>
