import { encodeEvents } from '../encodeEvents.ts'
import { ConcurrencyConflict, type EventStore, type GlobalPosition, type Stored } from '../eventStore.port.ts'
import type { Event } from '../pure/decider.ts'

/** An in-memory event store for specs. Has no subscriptions. */
export interface MemoryEventStore extends EventStore {
  readonly log: Stored[]
  /** Number of events of each successful append. */
  readonly appends: number[]
}

export function createMemoryEventStore(): MemoryEventStore {
  const log: Stored[] = []
  const appends: number[] = []
  const of = (stream: string) => log.filter((event) => event.stream === stream)

  return {
    log,
    appends,
    async append(stream, expected, events) {
      const encoded = encodeEvents(stream, events)
      await Promise.resolve()
      const known = of(stream)
      const last = known.at(-1)?.revision ?? -1
      const from = expected === 'any' ? last : expected === 'no_stream' ? -1 : expected
      const there = known.slice(from + 1, from + 1 + encoded.length)
      const repeated = there.length === encoded.length && there.every(({ id }, index) => id === encoded[index]!.id)
      if (repeated) return { revision: there.at(-1)!.revision, position: there.at(-1)!.position }
      if (from !== last) throw new ConcurrencyConflict(stream, expected, last < 0 ? 'no_stream' : last)
      for (const [index, { id, type, data, meta }] of encoded.entries())
        log.push({
          id,
          type,
          stream,
          revision: last + 1 + index,
          position: String(log.length + 1).padStart(20, '0') as GlobalPosition,
          created: new Date(0),
          data: JSON.parse(data),
          meta: JSON.parse(meta),
        })
      appends.push(encoded.length)
      return { revision: last + encoded.length, position: log.at(-1)!.position }
    },
    async *readStream<E extends Event>(stream: string, from = 0) {
      await Promise.resolve()
      yield* of(stream).filter(({ revision }) => revision >= from) as Stored<E>[]
    },
    head: async () => log.at(-1)?.position,
    subscribeAll: () => {
      throw new Error('The memory event store has no subscriptions')
    },
    probe: async () => {},
    close: async () => {},
  }
}
