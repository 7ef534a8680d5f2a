import { findById } from '../../accounts/accounts.ts'
import { creditAccount } from '../../credits/creditAccount.decider.ts'
import { available, total } from '../../credits/lots.rules.ts'
import type { DeskRoutes } from '../../desk/routes.ts'
import { type Decider, type Event, Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { upcast } from '../../kernel/eventsourcing/pure/eventSchemas.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { currentOf } from '../../subscriptions/agreements.rules.ts'
import { subscription } from '../../subscriptions/subscription.decider.ts'
import type { Context } from '../context.ts'

/** Creates the function that folds a person's streams up to an instant. */
export function createPersonAt({ store, database }: Pick<Context, 'store' | 'database'>): DeskRoutes['personAt'] {
  const userById = findById(database)

  async function foldUntil<S, E extends Event<string, { at: string }>>(
    { category, schemas, initial, evolve }: Decider<S, never, E>,
    id: string,
    at: string,
  ): Promise<S> {
    let state = initial
    for await (const stored of store.readStream<E>(`${category}-${id}`)) {
      const event = upcast(schemas, stored)
      if (event.data.at <= at) state = evolve(state, event)
    }
    return state
  }

  return async (id, typed) => {
    if (!isUuid(id) || !(await userById(id))) throw new Rejection('not_found', 'There is no such account.')
    const at = new Date(typed).toISOString()
    const [account, plans] = await Promise.all([foldUntil(creditAccount, id, at), foldUntil(subscription, id, at)])
    const current = currentOf(plans)
    return {
      at,
      balance: available(account.lots, at) - account.debt,
      plan: current ? { tier: current.tier, status: current.status, until: current.periodEnd } : null,
      open: account.holds.map(({ id: task_id, parts }) => ({ task_id, credits: total(parts) })),
    }
  }
}
