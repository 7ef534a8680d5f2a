import { type Database, query } from '#backend/kernel/postgres/query.ts'

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

export const createStripeLinks = (database: Database): StripeLinks => ({
  async find(id) {
    const [row] = await query<{ session_id: string; subscription_id: string }>(
      database,
      'select session_id, subscription_id from stripe_agreement where session_id = $1 or subscription_id = $1',
      [id],
    )
    return row && { sessionId: row.session_id, subscriptionId: row.subscription_id }
  },

  async add(sessionId, subscriptionId) {
    await query(
      database,
      'insert into stripe_agreement (session_id, subscription_id) values ($1, $2) on conflict do nothing',
      [sessionId, subscriptionId],
    )
  },
})
