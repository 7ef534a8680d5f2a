import type { Workflow } from '../engine/engine.port.ts'

export interface ReconcileActivities {
  /** Asks the payment provider about every agreement that it may still bill, and closes lots whose time is over. */
  reconcile(input: Record<string, never>): Promise<void>
}

/** Once a day: a webhook may have been lost on its way, for whatever reason. */
export const reconcile: Workflow<ReconcileActivities, Record<string, never>> = (ctx) => ctx.activities.reconcile({})
