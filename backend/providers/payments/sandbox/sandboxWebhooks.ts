import { randomBytes } from 'node:crypto'
import type pg from 'pg'

export const newId = (prefix: string) => `${prefix}-${randomBytes(7).toString('hex').toUpperCase().slice(0, 13)}`

export const usd = (cents: number) => ({ total: (cents / 100).toFixed(2), currency: 'USD' })

/** Returns an amount in the form of PayPal's API v2. */
export const moneyOf = (cents: number) => ({ value: (cents / 100).toFixed(2), currency_code: 'USD' })

/** Stores a webhook in the transaction of its cause. The sandbox delivers it later. */
export async function queueWebhook(client: pg.PoolClient, at: string, event_type: string, resource: object) {
  const id = newId('WH')
  const body = JSON.stringify({ id, event_type, create_time: at, resource_version: '2.0', resource })
  await client.query('insert into sandbox_webhook (id, body, made_at) values ($1, $2, $3)', [id, body, at])
}
