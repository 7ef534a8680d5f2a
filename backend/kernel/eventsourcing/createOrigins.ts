import type { EventSelector, FindOrigin, Origin } from './command.ts'
import type { EventStore } from './eventStore.port.ts'
import type { Event } from './pure/decider.ts'

/**
 * Reads where things began from the log, which every process has and no restart forgets. Those asked for last are
 * remembered: what began does not change.
 */
export function createOrigins(store: Pick<EventStore, 'readStream'>, { max = 10_000 } = {}): FindOrigin {
  const known = new Map<string, Origin>()

  return async <E extends Event>(stream: string, beginning?: EventSelector<E>) => {
    const key = beginning ? `${stream} ${beginning.id}` : stream
    const found = known.get(key)
    if (found) return found
    for await (const event of store.readStream<E>(stream)) {
      if (beginning && !beginning.is(event)) continue
      const origin = { correlationId: String(event.meta.correlationId ?? event.id), causationId: event.id }
      if (known.size >= max) known.delete(known.keys().next().value!)
      known.set(key, origin)
      return origin
    }
    return undefined
  }
}
