import { setTimeout as delay } from 'node:timers/promises'
import { CHANGE_CHANNEL } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Notice, NoticeSubject } from './paymentProvider.port.ts'

/** The name under which a new notice is told to whoever reads them. */
export const PAYMENT_NOTICES = 'paymentNotices'

export interface KeptNotice {
  readonly subject: NoticeSubject
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/**
 * What the payment provider has told us, kept before it is answered and read by a workflow. The same event, or another one
 * about the same object in the same state, is kept once.
 */
export function createNoticeInbox(database: Database) {
  const execute = <T extends object>(sql: string, parameters: unknown[] = []) =>
    database.em.fork().execute<T[]>(sql, parameters)

  return {
    /** Says whether it is new. */
    async put({ id, type, objectId, subject }: Notice): Promise<boolean> {
      const isNew = await execute(
        `insert into payment_notice (id, type, object_id, subject, received_at) values (?, ?, ?, ?::jsonb, now())
         on conflict do nothing returning id`,
        [id, type, objectId, JSON.stringify(subject)],
      )
      if (isNew.length > 0)
        await execute('select pg_notify(?, ?)', [CHANGE_CHANNEL, JSON.stringify({ name: PAYMENT_NOTICES, ids: [id] })])
      return isNew.length > 0
    },

    /** Those that nobody has read to the end. */
    async waiting(): Promise<string[]> {
      const rows = await execute<{ id: string }>(
        'select id from payment_notice where outcome is null order by received_at, id limit 1000',
      )
      return rows.map(({ id }) => id)
    },

    /** Undefined when it has been read. */
    async open(id: string): Promise<KeptNotice | undefined> {
      const [row] = await execute<{ subject: NoticeSubject; received_at: Date }>(
        'select subject, received_at from payment_notice where id = ? and outcome is null',
        [id],
      )
      return row && { subject: row.subject, receivedAt: new Date(row.received_at).getTime() }
    },

    async close(id: string, outcome: 'done' | 'not ours' | 'never understood'): Promise<void> {
      await execute('update payment_notice set outcome = ?, read_at = now() where id = ?', [outcome, id])
    },

    /** Settles when these have been read, but no later than after `timeoutMs`. */
    async read(ids: readonly string[], timeoutMs: number): Promise<void> {
      const until = Date.now() + timeoutMs
      for (;;) {
        const waiting = new Set(await this.waiting())
        if (!ids.some((id) => waiting.has(id)) || Date.now() >= until) return
        await delay(20)
      }
    },
  }
}

export type NoticeInbox = ReturnType<typeof createNoticeInbox>
