import type pg from 'pg'
import { inTransaction } from '#backend/kernel/postgres/inTransaction.ts'
import type { Calendar } from '#backend/kernel/time.ts'
import { moneyOf, newId, queueWebhook, usd } from './sandboxWebhooks.ts'

interface Refunded {
  readonly id: string
  readonly order_id: string | null
  readonly amount_cents: number
  readonly refunded_cents: number
}

const IS_REFUND = `body::json->>'event_type' in ('PAYMENT.SALE.REFUNDED', 'PAYMENT.CAPTURE.REFUNDED')`

/** Creates the sandbox's store of refunds, of the sales of agreements and of orders. They are kept as the webhooks about them. */
export function createSandboxRefunds(pool: pg.Pool, calendar: Calendar) {
  const at = () => new Date(calendar()).toISOString()

  /** Locks a sale, and refunds part of it: by default all that is left. */
  const refundSale = (saleId: string, refundId: string, part?: number) =>
    inTransaction(pool, async (client) => {
      const { rows } = await client.query<Refunded>('select * from sandbox_sale where id = $1 for update', [saleId])
      if (!rows[0] || (await findIn(client, refundId))) return
      const { order_id, amount_cents, refunded_cents } = rows[0]
      const cents = part ?? amount_cents - refunded_cents
      if (cents <= 0 || refunded_cents + cents > amount_cents) return
      const sql = 'update sandbox_sale set refunded_cents = refunded_cents + $2 where id = $1'
      await client.query(sql, [saleId, cents])
      const links = [{ rel: 'up', href: `https://sandbox.invalid/v2/payments/captures/${saleId}` }]
      const refund = { id: refundId, status: 'COMPLETED', create_time: at() }
      await (order_id === null
        ? queueWebhook(client, at(), 'PAYMENT.SALE.REFUNDED', { ...refund, sale_id: saleId, amount: usd(cents) })
        : queueWebhook(client, at(), 'PAYMENT.CAPTURE.REFUNDED', { ...refund, amount: moneyOf(cents), links }))
    })

  /** Returns the webhook of a refund. */
  async function findIn(client: pg.Pool | pg.PoolClient, id: string): Promise<string | undefined> {
    const sql = `select body from sandbox_webhook where ${IS_REFUND} and body::json->'resource'->>'id' = $1`
    return (await client.query<{ body: string }>(sql, [id])).rows[0]?.body
  }

  return {
    refundSale,
    find: (refundId: string) => findIn(pool, refundId),

    /** Refunds all that is left of the last sale of an agreement or order. */
    async refund(id: string): Promise<void> {
      const { rows } = await pool.query<{ id: string }>(
        `select id from sandbox_sale where $1 in (agreement_id, order_id) and refunded_cents < amount_cents
         order by sold_at desc limit 1`,
        [id],
      )
      if (rows[0]) await refundSale(rows[0].id, newId('R'))
    },

    /** Lets a refund fail after it was reported, as when the buyer's account cannot receive it. */
    fail: (refundId: string, saleId: string, cents: number) =>
      inTransaction(pool, async (client) => {
        await client.query('update sandbox_sale set refunded_cents = refunded_cents - $2 where id = $1', [
          saleId,
          cents,
        ])
        const { rows } = await client.query<{ body: string }>(
          `update sandbox_webhook set body = jsonb_set(body::jsonb, '{resource,status}', '"FAILED"')::text
           where ${IS_REFUND} and body::json->'resource'->>'id' = $1 returning body`,
          [refundId],
        )
        const links = [{ rel: 'up', href: `https://sandbox.invalid/v2/payments/captures/${saleId}` }]
        const { resource } = JSON.parse(rows[0]?.body ?? '{"resource":{}}')
        await queueWebhook(client, at(), 'PAYMENT.REFUND.FAILED', { ...resource, links })
      }),

    /** Returns the webhooks of refunds between two ISO timestamps, oldest first. */
    async list(from: string, to: string): Promise<string[]> {
      const { rows } = await pool.query<{ body: string }>(
        `select body from sandbox_webhook where ${IS_REFUND} and made_at between $1 and $2 order by made_at, id`,
        [from, to],
      )
      return rows.map(({ body }) => body)
    },
  }
}
