import type { createOperatorAlerts } from './operatorAlerts.ts'

/** Something that an operator must know. */
export interface Condition {
  /** Lower-case words joined by underscores. */
  readonly code: string
  /** Returns what is wrong, or undefined. */
  readonly find: () => Promise<string | undefined>
}

/** Raises an alert for each condition that holds and clears those that hold no longer. */
export async function watchConditions(
  conditions: readonly Condition[],
  alerts: ReturnType<typeof createOperatorAlerts>,
): Promise<void> {
  for (const { code, find } of conditions) {
    const detail = await find()
    await (detail === undefined ? alerts.clear(code) : alerts.raise(code, detail))
  }
}
