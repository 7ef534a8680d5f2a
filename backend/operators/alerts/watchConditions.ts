import type { createOperatorAlerts } from './operatorAlerts.ts'

/** Something that an operator must know. */
export interface Condition {
  /** Lower-case words joined by underscores. */
  readonly code: string
  /** Returns what is wrong, or undefined. */
  readonly find: () => Promise<string | undefined>
}

/**
 * Raises an alert for each condition that holds and clears those that hold no longer.
 * @throws Error some conditions could not be checked, after the others were; its cause is the first error
 */
export async function watchConditions(
  conditions: readonly Condition[],
  alerts: Pick<ReturnType<typeof createOperatorAlerts>, 'raise' | 'clear'>,
): Promise<void> {
  const unchecked: { code: string; cause: unknown }[] = []
  for (const { code, find } of conditions) {
    try {
      const detail = await find()
      await (detail === undefined ? alerts.clear(code) : alerts.raise(code, detail))
    } catch (cause) {
      unchecked.push({ code, cause })
    }
  }
  const [first] = unchecked
  if (first)
    throw new Error(`conditions not checked: ${unchecked.map(({ code }) => code).join(', ')}`, { cause: first.cause })
}
