import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface ReconcileActivities {
  /** Refreshes every open agreement from the payment provider, applies missed refunds, and closes expired credit lots. */
  reconcile(input: NoInput): Promise<void>
}

/** Runs at each start and daily, because webhooks can be lost. */
export const reconcile: Workflow<ReconcileActivities> = {
  type: 'reconcile',
  run: (ctx, input) => ctx.activities.reconcile(input),
}
