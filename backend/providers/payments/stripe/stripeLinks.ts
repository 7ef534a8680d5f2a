import type pg from 'pg'

/** The ids of an agreement at Stripe: of the session in which it was approved, and of its subscription. */
export interface StripeLink {
  readonly sessionId: string
  readonly subscriptionId: string
}

/** Stores the links, because Stripe does not say how long sessions can be read. */
export interface StripeLinks {
  /** @param id of the session or of the subscription */
  find(id: string): Promise<StripeLink | undefined>
  add(sessionId: string, subscriptionId: string): Promise<void>
}

export const createStripeLinks = (pool: pg.Pool): StripeLinks => ({
  async find(id) {
    const { rows } = await pool.query<StripeLink>(
      `select session_id as "sessionId", subscription_id as "subscriptionId" from stripe_agreement
       where session_id = $1 or subscription_id = $1`,
      [id],
    )
    return rows[0]
  },

  async add(sessionId, subscriptionId) {
    const sql = 'insert into stripe_agreement (session_id, subscription_id) values ($1, $2) on conflict do nothing'
    await pool.query(sql, [sessionId, subscriptionId])
  },
})
