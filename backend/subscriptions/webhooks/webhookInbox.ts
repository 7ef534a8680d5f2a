import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { notifySql, payloadsOf } from '../../kernel/postgres/notify.ts'
import { onlyRow } from '../../kernel/postgres/onlyRow.ts'
import type { PaymentWebhook, WebhookSubject } from '../paymentProvider.port.ts'

/** Change notification for new webhooks. */
export const PAYMENT_WEBHOOKS = 'paymentWebhooks'

/**
 * Creates the inbox for verified webhooks (table `payment_webhook`), which stores them before they are acknowledged.
 * Redelivered events, and other events about the same state of an object, are stored only once. A workflow processes
 * the webhooks. See docs/decisions/0005-webhooks-are-hints.md.
 */
export function createWebhookInbox(pool: pg.Pool) {
  return {
    /**
     * Records a transmission. Returns false if its id was used with another body: the signature covers only a checksum.
     * The id is kept for longer than a transmission is accepted.
     */
    async admit(transmissionId: string, body: Buffer): Promise<boolean> {
      await pool.query(`delete from payment_transmission where received_at < now() - interval '9 days'`)
      const { rowCount } = await pool.query(
        `insert into payment_transmission as known (id, body_hash, received_at) values ($1, $2, now())
         on conflict (id) do update set id = excluded.id where known.body_hash = excluded.body_hash`,
        [transmissionId, createHash('sha256').update(body).digest('hex')],
      )
      return rowCount === 1
    },

    async add({ id, type, objectId, subject }: PaymentWebhook): Promise<void> {
      await pool.query(
        `with added as (
           insert into payment_webhook (id, type, object_id, subject, received_at) values ($1, $2, $3, $4, now())
           on conflict do nothing returning id)
         ${notifySql('$5', 'added')}`,
        [id, type, objectId, JSON.stringify(subject), payloadsOf([{ name: PAYMENT_WEBHOOKS, ids: [id] }])],
      )
    },

    /** Returns the ids of unprocessed webhooks, oldest first. */
    async waiting(): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        'select id from payment_webhook where outcome is null order by received_at, id limit 1000',
      )
      return rows.map(({ id }) => id)
    },

    /** Returns a webhook with its time of receipt in epoch milliseconds; undefined once it is processed. */
    async find(id: string): Promise<{ subject: WebhookSubject; receivedAt: number } | undefined> {
      const { rows } = await pool.query<{ subject: WebhookSubject; received_at: Date }>(
        'select subject, received_at from payment_webhook where id = $1 and outcome is null',
        [id],
      )
      return rows[0] && { subject: rows[0].subject, receivedAt: rows[0].received_at.getTime() }
    },

    async close(id: string, outcome: 'processed' | 'ignored' | 'unmatched'): Promise<void> {
      await pool.query('update payment_webhook set outcome = $2, processed_at = now() where id = $1', [id, outcome])
    },

    /** Resolves when these webhooks are processed, or after `timeoutMs`. */
    async processed(ids: readonly string[], timeoutMs: number): Promise<void> {
      const deadline = Date.now() + timeoutMs
      for (;;) {
        const waiting = await this.waiting()
        if (!ids.some((id) => waiting.includes(id)) || Date.now() >= deadline) return
        await delay(20)
      }
    },
  }
}

export type WebhookInbox = ReturnType<typeof createWebhookInbox>

/** Returns the number of unprocessed webhooks and the receipt time of the oldest, in epoch seconds; null if none. */
export async function readWebhookBacklog(pool: pg.Pool): Promise<{ waiting: number; oldestAt: number | null }> {
  const found = await pool.query<{ waiting: number; oldestAt: number | null }>(
    `select count(*)::int as waiting, extract(epoch from min(received_at))::float8 as "oldestAt"
     from payment_webhook where outcome is null`,
  )
  return onlyRow(found)
}
