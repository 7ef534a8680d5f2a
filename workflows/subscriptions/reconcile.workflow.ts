import type { NoInput, Workflow } from '../engine/engine.port.ts'

export interface ReconcileActivities {
  /** Asks the payment provider about every agreement that it may still bill, and closes lots whose time is over. */
  reconcile(input: NoInput): Promise<void>
}

/** Once a day: a webhook may have been lost on its way, for whatever reason. */
export const reconcile: Workflow<ReconcileActivities> = {
  type: 'reconcile',
  run: (ctx, input) => ctx.activities.reconcile(input),
}
