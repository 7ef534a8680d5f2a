import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { monthsAfter } from '#backend/kernel/time.ts'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import type { NewAgreement, ProviderAgreement, ProviderSale } from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { webhookBody } from './sandboxWebhooks.ts'

export interface SandboxAgreement {
  readonly id: string
  readonly user_id: string
  readonly tier: PaidTier
  readonly price_cents: number
  readonly status: ProviderAgreement['status']
  readonly status_at: Date
  readonly starts_at: Date | null
  readonly next_billing_at: Date | null
  readonly failed_at: Date | null
  readonly return_url: string
  readonly cancel_url: string
  readonly language: 'en' | 'zh'
}

const newId = (prefix: string) => `${prefix}-${randomBytes(7).toString('hex').toUpperCase().slice(0, 13)}`
const money = (cents: number) => (cents / 100).toFixed(2)
const TURNED = {
  active: 'BILLING.SUBSCRIPTION.ACTIVATED',
  suspended: 'BILLING.SUBSCRIPTION.SUSPENDED',
  cancelled: 'BILLING.SUBSCRIPTION.CANCELLED',
} as const

/** The agreements of the sandbox, in Postgres. Each change and the webhook that tells of it are one transaction. */
export function createSandboxState(pool: pg.Pool, now: () => number) {
  const at = () => new Date(now()).toISOString()

  async function change<T>(id: string, body: (client: pg.PoolClient, row: SandboxAgreement) => Promise<T>) {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<SandboxAgreement>(
        'select * from sandbox_agreement where id = $1 for update',
        [id],
      )
      const result = rows[0] && (await body(client, rows[0]))
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }

  async function tell(client: pg.PoolClient, type: string, resource: object): Promise<void> {
    const id = newId('WH')
    await client.query('insert into sandbox_webhook (id, body, made_at) values ($1, $2, $3)', [
      id,
      webhookBody(id, type, resource, at()),
      at(),
    ])
  }

  async function turn(client: pg.PoolClient, { id }: SandboxAgreement, status: keyof typeof TURNED): Promise<void> {
    await client.query(
      `update sandbox_agreement set status = $2, status_at = $3,
         next_billing_at = case when $2 = 'cancelled' then null else next_billing_at end where id = $1`,
      [id, status, at()],
    )
    await tell(client, TURNED[status], { id, status: status.toUpperCase(), status_update_time: at() })
  }

  async function bill(client: pg.PoolClient, { id, price_cents, next_billing_at }: SandboxAgreement): Promise<void> {
    const saleId = newId('SALE')
    // A bill that is late does not move the ones after it.
    const due =
      next_billing_at !== null && monthsAfter(next_billing_at.toISOString(), 1) > at() ? next_billing_at : undefined
    const soldAt = at()
    await client.query('insert into sandbox_sale (id, agreement_id, amount_cents, sold_at) values ($1, $2, $3, $4)', [
      saleId,
      id,
      price_cents,
      soldAt,
    ])
    await client.query('update sandbox_agreement set next_billing_at = $2, failed_at = null where id = $1', [
      id,
      monthsAfter(due?.toISOString() ?? soldAt, 1),
    ])
    const amount = { total: money(price_cents), currency: 'USD' }
    await tell(client, 'PAYMENT.SALE.COMPLETED', {
      id: saleId,
      state: 'completed',
      amount,
      billing_agreement_id: id,
      create_time: soldAt,
    })
  }

  const act = (from: readonly string[], to: keyof typeof TURNED) => (id: string) =>
    change(id, async (client, row) => {
      if (from.includes(row.status)) await turn(client, row, to)
    })

  return {
    async open({ requestId, userId, tier, startsAt, language, returnUrl, cancelUrl }: NewAgreement): Promise<string> {
      const { rows } = await pool.query<{ id: string }>(
        `insert into sandbox_agreement
           (id, request_id, user_id, tier, price_cents, status, status_at, starts_at, return_url, cancel_url, language)
         values ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10)
         on conflict (request_id) do update set request_id = excluded.request_id returning id`,
        [newId('I'), requestId, userId, tier, PLANS[tier].priceCents, at(), startsAt, returnUrl, cancelUrl, language],
      )
      return rows[0]!.id
    },

    async find(id: string): Promise<SandboxAgreement | undefined> {
      return (await pool.query<SandboxAgreement>('select * from sandbox_agreement where id = $1', [id])).rows[0]
    },

    async sales(id: string, from: string, to: string): Promise<ProviderSale[]> {
      const { rows } = await pool.query<{ id: string; amount_cents: number; sold_at: Date }>(
        'select * from sandbox_sale where agreement_id = $1 and sold_at between $2 and $3 order by sold_at, id',
        [id, from, to],
      )
      const common = { agreementId: id, currency: 'USD' }
      return rows.map((row) => ({
        ...common,
        id: row.id,
        amountCents: row.amount_cents,
        soldAt: row.sold_at.toISOString(),
      }))
    },

    /** The buyer agrees: it runs, and the first month is paid for at once, or when it starts. */
    approve: (id: string) =>
      change(id, async (client, row) => {
        if (row.status !== 'pending') return
        await turn(client, row, 'active')
        if (row.starts_at === null || row.starts_at.getTime() <= now()) return bill(client, row)
        await client.query('update sandbox_agreement set next_billing_at = starts_at where id = $1', [id])
      }),

    decline: act(['pending'], 'cancelled'),
    pause: act(['active'], 'suspended'),
    resume: act(['suspended'], 'active'),
    cancel: act(['active', 'suspended'], 'cancelled'),

    /** A month is paid for now, whether it is due or not. */
    renew: (id: string) =>
      change(id, async (client, row) => {
        if (row.status === 'active') await bill(client, row)
      }),

    failPayment: (id: string) =>
      change(id, async (client, row) => {
        if (row.status !== 'active') return
        await client.query('update sandbox_agreement set failed_at = $2 where id = $1', [id, at()])
        const billing_info = { failed_payments_count: 1, last_failed_payment: { time: at() } }
        await tell(client, 'BILLING.SUBSCRIPTION.PAYMENT.FAILED', { id, status: 'ACTIVE', billing_info })
      }),

    /** The last sale's money goes back, whole. */
    refund: (id: string) =>
      change(id, async (client) => {
        const { rows } = await client.query<{ id: string; amount_cents: number }>(
          `update sandbox_sale set refunded_cents = amount_cents
           where id = (select id from sandbox_sale where agreement_id = $1 and refunded_cents = 0 order by sold_at desc limit 1)
           returning id, amount_cents`,
          [id],
        )
        if (!rows[0]) return
        const amount = { total: money(rows[0].amount_cents), currency: 'USD' }
        await tell(client, 'PAYMENT.SALE.REFUNDED', { id: newId('R'), sale_id: rows[0].id, amount, create_time: at() })
      }),

    /** Bills what is due. An agreement whose last payment failed is left alone until it is renewed by hand. */
    async billDue(): Promise<void> {
      const { rows } = await pool.query<{ id: string }>(
        `select id from sandbox_agreement where status = 'active' and failed_at is null and next_billing_at <= $1`,
        [at()],
      )
      for (const { id } of rows)
        await change(id, async (client, row) => {
          const isDue =
            row.status === 'active' && row.next_billing_at !== null && row.next_billing_at.getTime() <= now()
          if (isDue) await bill(client, row)
        })
    },

    /** Webhooks that nobody has taken yet, oldest first. */
    async undelivered(): Promise<{ id: string; body: string; made_at: Date }[]> {
      return (
        await pool.query('select * from sandbox_webhook where delivered_at is null order by made_at, id limit 100')
      ).rows
    },

    async delivered(id: string): Promise<void> {
      await pool.query('update sandbox_webhook set delivered_at = now() where id = $1', [id])
    },
  }
}

export type SandboxState = ReturnType<typeof createSandboxState>
