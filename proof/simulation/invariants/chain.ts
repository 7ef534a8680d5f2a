import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { chainStart, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { Violation } from './violation.ts'

/** Each event of a chained stream carries the hash of the event that was written before it. */
export class ChainInvariants {
  readonly #last = new Map<string, Stored>()

  observe(event: Stored): void {
    const { stream, revision, type, meta } = event
    if (meta.previousHash === undefined) return
    const last = this.#last.get(stream)
    this.#last.set(stream, event)
    if (meta.previousHash !== (last ? eventHash(last) : chainStart(stream)))
      throw new Violation('streams stay verifiable', `${type}, revision ${revision} of ${stream}, carries another hash`)
  }
}
