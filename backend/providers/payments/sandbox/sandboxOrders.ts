import type pg from 'pg'
import { inTransaction } from '#backend/kernel/postgres/inTransaction.ts'
import type { Calendar } from '#backend/kernel/time.ts'
import type { NewOrder, ProviderOrder } from '#backend/subscriptions/paymentProvider.port.ts'
import { onlyRow } from '../../../kernel/postgres/onlyRow.ts'
import { moneyOf, newId, queueWebhook } from './sandboxWebhooks.ts'

export interface SandboxOrder {
  readonly id: string
  readonly user_id: string
  readonly title: string
  readonly amount_cents: number
  readonly status: 'pending' | 'approved' | 'paid' | 'cancelled'
  readonly return_url: string
  readonly cancel_url: string
  readonly language: 'en' | 'zh'
}

/** Creates the sandbox's store of orders in Postgres. As at PayPal, the buyer's approval moves no money. */
export function createSandboxOrders(pool: pg.Pool, calendar: Calendar) {
  const at = () => new Date(calendar()).toISOString()

  const change = (id: string, run: (client: pg.PoolClient, order: SandboxOrder) => Promise<void>) =>
    inTransaction(pool, async (client) => {
      const sql = 'select * from sandbox_order where id = $1 for update'
      const { rows } = await client.query<SandboxOrder>(sql, [id])
      if (rows[0]) await run(client, rows[0])
    })

  const find = async (id: string): Promise<SandboxOrder | undefined> =>
    (await pool.query<SandboxOrder>('select * from sandbox_order where id = $1', [id])).rows[0]

  const setStatus = (client: pg.PoolClient, id: string, status: SandboxOrder['status']) =>
    client.query('update sandbox_order set status = $2 where id = $1', [id, status])

  return {
    async create({ requestId, userId, credits, amountCents, language, returnUrl, cancelUrl }: NewOrder) {
      const title = language === 'zh' ? `${credits} 积分` : `${credits} credits`
      const found = await pool.query<{ id: string }>(
        `insert into sandbox_order (id, request_id, user_id, title, amount_cents, status, return_url, cancel_url, language)
         values ($1, $2, $3, $4, $5, 'pending', $6, $7, $8)
         on conflict (request_id) do update set request_id = excluded.request_id returning id`,
        [newId('O'), requestId, userId, title, amountCents, returnUrl, cancelUrl, language],
      )
      return onlyRow(found).id
    },

    find,

    approve: (id: string) =>
      change(id, async (client, { status }) => {
        if (status !== 'pending') return
        await setStatus(client, id, 'approved')
        await queueWebhook(client, at(), 'CHECKOUT.ORDER.APPROVED', { id, status: 'APPROVED' })
      }),

    decline: (id: string) =>
      change(id, async (client, { status }) => {
        if (status === 'pending') await setStatus(client, id, 'cancelled')
      }),

    /** Takes the money of an approved order, and returns the order. */
    async collect(id: string, beforeTaking?: (userId: string) => Promise<void>): Promise<ProviderOrder | undefined> {
      const order = await find(id)
      if (order?.status !== 'approved') return readOrder(pool, id)
      await beforeTaking?.(order.user_id)
      await change(id, async (client, { status, amount_cents }) => {
        if (status !== 'approved') return
        await setStatus(client, id, 'paid')
        await sell(client, id, amount_cents, at())
      })
      return readOrder(pool, id)
    },
  }
}

/** Books the payment of an order. */
async function sell(client: pg.PoolClient, orderId: string, cents: number, at: string): Promise<void> {
  const id = newId('CAPTURE')
  const sql = 'insert into sandbox_sale (id, order_id, amount_cents, sold_at) values ($1, $2, $3, $4)'
  await client.query(sql, [id, orderId, cents, at])
  const related = { supplementary_data: { related_ids: { order_id: orderId } } }
  const capture = { id, status: 'COMPLETED', amount: moneyOf(cents), ...related }
  await queueWebhook(client, at, 'PAYMENT.CAPTURE.COMPLETED', capture)
}

async function readOrder(pool: pg.Pool, id: string): Promise<ProviderOrder | undefined> {
  const { rows } = await pool.query<{ userId: string; id: string | null; amountCents: number; soldAt: Date }>(
    `select user_id as "userId", sale.id, sale.amount_cents as "amountCents", sold_at as "soldAt"
     from sandbox_order o left join sandbox_sale sale on sale.order_id = o.id where o.id = $1`,
    [id],
  )
  if (!rows[0]) return undefined
  const { userId, id: saleId, amountCents, soldAt } = rows[0]
  if (saleId === null) return { userId, sale: undefined }
  return { userId, sale: { id: saleId, amountCents, currency: 'USD', soldAt: soldAt.toISOString() } }
}
