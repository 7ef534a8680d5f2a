import type { Outcome } from './runMutants.ts'

/** Faults that no spec detected once. `code` and `change` are parts of a mutant's. */
export const KNOWN_FAULTS: readonly (Pick<Outcome, 'file' | 'code' | 'change'> & { readonly name: string })[] = [
  {
    name: 'claims credits back that an earlier reversal has claimed',
    file: 'backend/credits/lots.rules.ts',
    code: '- lot.reversed - expired',
    change: 'lot.granted - lot.forfeited - lot.reversed → lot.granted - lot.forfeited',
  },
  {
    name: 'claims credits back in addition to those that an earlier reversal has claimed',
    file: 'backend/credits/lots.rules.ts',
    code: '- lot.reversed - expired',
    change: '- → +',
  },
  {
    name: 'refunds tasks that are still being made',
    file: 'workflows/tasks/taskActivities.ts',
    code: "if (state.status === 'abandoned')",
    change: "state.status === 'abandoned' → true",
  },
  {
    name: 'pauses an agreement again whose pause is confirmed',
    file: 'workflows/subscriptions/settleSubscription.ts',
    code: "cancelled === 'at_period_end' && paused !== 'yes'",
    change: "paused !== 'yes' → cancelled === 'at_period_end'",
  },
  {
    name: 'counts every sale of an ended agreement as sold after its end',
    file: 'backend/subscriptions/subscription.decider.ts',
    code: 'soldAt >= endedAt',
    change: 'soldAt >= endedAt → endedAt !== null',
  },
  {
    name: 'takes an append for a repetition although its events are stored at other revisions',
    file: 'backend/kernel/eventsourcing/postgres/postgresEventStore.sql.ts',
    code: 'and e.stream = requested.stream and',
    change: 'e.revision = requested.expected + n.i) → (removed)',
  },
  {
    name: 'decides on a cached state after the store has failed',
    file: 'backend/kernel/eventsourcing/lane.ts',
    code: 'this.#cached = undefined',
    change: 'this.#cached = undefined →',
  },
]
