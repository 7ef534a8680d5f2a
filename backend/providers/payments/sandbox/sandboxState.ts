import type pg from 'pg'
import { inTransaction } from '#backend/kernel/postgres/inTransaction.ts'
import { type Calendar, monthsAfter } from '#backend/kernel/time.ts'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import type { ListedSale, NewAgreement, ProviderAgreement } from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { onlyRow } from '../../../kernel/postgres/onlyRow.ts'
import { createSandboxOrders } from './sandboxOrders.ts'
import { createSandboxRefunds } from './sandboxRefunds.ts'
import { newId, queueWebhook as queue, usd } from './sandboxWebhooks.ts'

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

/** Stand for the ids of PayPal's plans. */
export const SANDBOX_PLANS = {
  standard: 'P-SANDBOX-STANDARD',
  pro: 'P-SANDBOX-PRO',
  ultimate: 'P-SANDBOX-ULTIMATE',
} as const

const STATUS_EVENTS = {
  active: 'BILLING.SUBSCRIPTION.ACTIVATED',
  suspended: 'BILLING.SUBSCRIPTION.SUSPENDED',
  cancelled: 'BILLING.SUBSCRIPTION.CANCELLED',
} as const
type Status = keyof typeof STATUS_EVENTS

/** Returns the first date after an instant on the anchor's day of the month, which shorter months do not move. */
export function nextMonthOf(anchor: string, after: string): string {
  for (let months = 1; ; months++) {
    const next = monthsAfter(anchor, months)
    if (next > after) return next
  }
}

/** Creates the changes of an agreement, which run in the transaction that locks it. */
function createChanges(pool: pg.Pool, at: () => string) {
  /** Runs a change in a transaction that locks the agreement's row. Does nothing if the agreement is unknown. */
  const change = (id: string, run: (client: pg.PoolClient, row: SandboxAgreement) => Promise<void>) =>
    inTransaction(pool, async (client) => {
      const sql = 'select * from sandbox_agreement where id = $1 for update'
      const { rows } = await client.query<SandboxAgreement>(sql, [id])
      if (rows[0]) await run(client, rows[0])
    })

  const queueWebhook = (client: pg.PoolClient, event_type: string, resource: object) =>
    queue(client, at(), event_type, resource)

  async function setStatus(client: pg.PoolClient, id: string, status: Status): Promise<void> {
    await client.query(
      `update sandbox_agreement set status = $2, status_at = $3,
         next_billing_at = case when $2 = 'cancelled' then null else next_billing_at end where id = $1`,
      [id, status, at()],
    )
    await queueWebhook(client, STATUS_EVENTS[status], { id, status: status.toUpperCase(), status_update_time: at() })
  }

  async function bill(client: pg.PoolClient, { id, price_cents, next_billing_at }: SandboxAgreement): Promise<void> {
    const [saleId, soldAt] = [newId('SALE'), at()]
    const first = 'select min(sold_at) as at from sandbox_sale where agreement_id = $1'
    const anchor = (await client.query<{ at: Date | null }>(first, [id])).rows[0]?.at?.toISOString() ?? soldAt
    const next = nextMonthOf(anchor, [soldAt, next_billing_at?.toISOString() ?? soldAt].toSorted()[1]!)
    const row = [saleId, id, price_cents, soldAt]
    await client.query(
      'insert into sandbox_sale (id, agreement_id, amount_cents, sold_at) values ($1, $2, $3, $4)',
      row,
    )
    await client.query('update sandbox_agreement set next_billing_at = $2, failed_at = null where id = $1', [id, next])
    const sale = { id: saleId, state: 'completed', billing_agreement_id: id, create_time: soldAt }
    await queueWebhook(client, 'PAYMENT.SALE.COMPLETED', { ...sale, amount: usd(price_cents) })
  }

  return { change, queueWebhook, setStatus, bill }
}

const createReads = (pool: pg.Pool) => ({
  async find(id: string): Promise<SandboxAgreement | undefined> {
    return (await pool.query<SandboxAgreement>('select * from sandbox_agreement where id = $1', [id])).rows[0]
  },

  async sales(agreementId: string, from: string, to: string): Promise<ListedSale[]> {
    const { rows } = await pool.query<{ id: string; amountCents: number; soldAt: Date; refunded: boolean }>(
      `select id, amount_cents as "amountCents", sold_at as "soldAt", refunded_cents = amount_cents as refunded
       from sandbox_sale
       where agreement_id = $1 and sold_at between $2 and $3 order by sold_at, id`,
      [agreementId, from, to],
    )
    return rows.map((sale) => ({ ...sale, agreementId, currency: 'USD', soldAt: sale.soldAt.toISOString() }))
  },

  /** Returns unacknowledged webhooks, oldest first. */
  async undelivered(): Promise<{ id: string; body: string; made_at: Date }[]> {
    const sql = 'select * from sandbox_webhook where delivered_at is null order by made_at, id limit 100'
    return (await pool.query(sql)).rows
  },

  async markDelivered(id: string): Promise<void> {
    await pool.query('update sandbox_webhook set delivered_at = now() where id = $1', [id])
  },
})

function createBilling(pool: pg.Pool, calendar: Calendar, changes: ReturnType<typeof createChanges>) {
  const { change, bill } = changes

  return {
    /** Bills one month immediately, even if no payment is due. */
    renew: (id: string) =>
      change(id, async (client, row) => {
        if (row.status === 'active') await bill(client, row)
      }),

    /** Bills due agreements. Skips those whose last payment failed: `renew` bills them. */
    async billDue(): Promise<void> {
      const { rows } = await pool.query<{ id: string }>(
        `select id from sandbox_agreement where status = 'active' and failed_at is null and next_billing_at <= $1`,
        [new Date(calendar())],
      )
      for (const { id } of rows)
        await change(id, async (client, row) => {
          const isDue = row.next_billing_at !== null && row.next_billing_at.getTime() <= calendar()
          if (row.status === 'active' && isDue) await bill(client, row)
        })
    },
  }
}

/** Creates the sandbox's store in Postgres. Each change and its webhook are written in one transaction. */
export function createSandboxState(pool: pg.Pool, calendar: Calendar) {
  const at = () => new Date(calendar()).toISOString()
  const changes = createChanges(pool, at)
  const { change, queueWebhook, setStatus, bill } = changes
  const transition = (from: readonly string[], to: Status) => (id: string) =>
    change(id, async (client, row) => {
      if (from.includes(row.status)) await setStatus(client, id, to)
    })

  return {
    async create({ requestId, userId, tier, startsAt, language, returnUrl, cancelUrl }: NewAgreement): Promise<string> {
      const found = await pool.query<{ id: string }>(
        `insert into sandbox_agreement
           (id, request_id, user_id, tier, price_cents, status, status_at, starts_at, return_url, cancel_url, language)
         values ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10)
         on conflict (request_id) do update set request_id = excluded.request_id returning id`,
        [newId('I'), requestId, userId, tier, PLANS[tier].priceCents, at(), startsAt, returnUrl, cancelUrl, language],
      )
      return onlyRow(found).id
    },

    orders: createSandboxOrders(pool, calendar),
    refunds: createSandboxRefunds(pool, calendar),

    ...createReads(pool),
    ...createBilling(pool, calendar, changes),

    /** Activates a pending agreement and bills the first month, unless it starts later. */
    approve: (id: string) =>
      change(id, async (client, row) => {
        if (row.status !== 'pending') return
        await setStatus(client, id, 'active')
        if (row.starts_at === null || row.starts_at.getTime() <= calendar()) return bill(client, row)
        await client.query('update sandbox_agreement set next_billing_at = starts_at where id = $1', [id])
      }),

    decline: transition(['pending'], 'cancelled'),
    pause: transition(['active'], 'suspended'),
    resume: transition(['suspended'], 'active'),
    cancel: transition(['active', 'suspended'], 'cancelled'),

    failPayment: (id: string) =>
      change(id, async (client, row) => {
        if (row.status !== 'active') return
        await client.query('update sandbox_agreement set failed_at = $2 where id = $1', [id, at()])
        const billing_info = { failed_payments_count: 1, last_failed_payment: { time: at() } }
        await queueWebhook(client, 'BILLING.SUBSCRIPTION.PAYMENT.FAILED', { id, status: 'ACTIVE', billing_info })
      }),
  }
}

export type SandboxState = ReturnType<typeof createSandboxState>
