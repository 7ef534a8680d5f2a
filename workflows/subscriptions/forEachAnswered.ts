import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { forEachReadable } from '../engine/forEachReadable.ts'

export type ForEach = <T>(items: Iterable<T>, step: (item: T) => Promise<unknown>) => Promise<void>

/**
 * Creates a `forEach` that goes on after an item that fails, such as an agreement that the provider refuses, and collects
 * the failures. It stops during an outage of the provider, and when `signal` aborts.
 */
export function createForEachAnswered(signal?: AbortSignal) {
  const failures: unknown[] = []
  const forEach: ForEach = (items, step) =>
    forEachReadable(items, async (item) => {
      signal?.throwIfAborted()
      await step(item).catch((error) => {
        if (isUnreadable(error) || error instanceof PaymentProviderDown) throw error
        failures.push(error)
      })
    })
  return { failures, forEach }
}
