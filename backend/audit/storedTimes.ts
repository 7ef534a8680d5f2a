import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Deviations } from './deviation.ts'

/** Longer than a transaction that appends can wait, and than a step of the clock of a store. */
const TOLERANCE_MS = 10 * 60_000

/**
 * Checks that the times at which events were stored follow their order in the log. No hash covers these times, so a change that
 * stays between those of the neighbours is not found.
 */
export class StoredTimes {
  #last: Stored | undefined
  readonly #deviations: Deviations

  constructor(deviations: Deviations) {
    this.#deviations = deviations
  }

  take(event: Stored): void {
    const last = this.#last
    this.#last = event
    if (!last || event.created.getTime() >= last.created.getTime() - TOLERANCE_MS) return
    const wrong =
      `It was stored at ${event.created.toISOString()}, but the event before it in the log, revision ${last.revision} of ` +
      `${last.stream}, at ${last.created.toISOString()}: one of these times was changed.`
    this.#deviations.add('log', event, wrong)
  }
}
