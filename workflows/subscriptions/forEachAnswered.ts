import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { forEachReadable } from '../engine/forEachReadable.ts'

/** Runs a step for each item in turn; `tillsOf` returns the payment providers that the step asks. */
export type ForEach = <T>(
  items: Iterable<T>,
  step: (item: T) => Promise<unknown>,
  tillsOf?: (item: T) => readonly string[],
) => Promise<void>

/**
 * Creates a `forEach` that goes on after an item that fails, such as an agreement that the provider refuses, and collects
 * the failures. It skips further items of a provider with an outage, and stops when `signal` aborts.
 */
export function createForEachAnswered(signal?: AbortSignal) {
  const failures: unknown[] = []
  const down = new Set<string>()
  const forEach: ForEach = (items, step, tillsOf = () => []) =>
    forEachReadable(items, async (item) => {
      signal?.throwIfAborted()
      const tills = tillsOf(item)
      if (tills.some((till) => down.has(till))) return
      await step(item).catch((error) => {
        if (isUnreadable(error)) throw error
        const [till, ...others] = tills
        if (error instanceof PaymentProviderDown && till && others.length === 0) down.add(till)
        failures.push(error)
      })
    })
  return { failures, forEach }
}
