import { encodeEvents } from '../encodeEvents.ts'
import {
  type Appended,
  ConcurrencyConflict,
  type EventStore,
  type GlobalPosition,
  type Stored,
  type StreamAppend,
} from '../eventStore.port.ts'
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

  /** Returns what an append would store; without `add` if it is stored already. @throws ConcurrencyConflict */
  const plan = ({ stream, expected, events }: StreamAppend): { add?: readonly Stored[]; last: Appended } => {
    const encoded = encodeEvents(stream, events)
    const known = of(stream)
    const last = known.at(-1)?.revision ?? -1
    const from = expected === 'any' ? last : expected === 'no_stream' ? -1 : expected
    const there = known.slice(from + 1, from + 1 + encoded.length)
    const repeated = there.length === encoded.length && there.every(({ id }, index) => id === encoded[index]!.id)
    if (repeated) return { last: there.at(-1)! }
    if (from !== last) throw new ConcurrencyConflict(stream, expected, last < 0 ? 'no_stream' : last)
    const add = encoded.map(({ id, type, data, meta }, index) => ({
      ...{ id, type, stream, revision: last + 1 + index, position: '' as GlobalPosition, created: new Date(0) },
      ...{ data: JSON.parse(data), meta: JSON.parse(meta) },
    }))
    return { add, last: add.at(-1)! }
  }

  const appendAll = async (parts: readonly StreamAppend[]): Promise<readonly Appended[]> => {
    await Promise.resolve()
    return parts.map(plan).map(({ add = [], last }) => {
      for (const event of add)
        log.push(Object.assign(event, { position: String(log.length + 1).padStart(20, '0') as GlobalPosition }))
      if (add.length > 0) appends.push(add.length)
      return { revision: last.revision, position: last.position }
    })
  }

  return {
    log,
    appends,
    appendAll,
    append: async (stream, expected, events) => (await appendAll([{ stream, expected, events }]))[0]!,
    async *readStream<E extends Event>(stream: string, from = 0) {
      await Promise.resolve()
      yield* of(stream).filter(({ revision }) => revision >= from) as Stored<E>[]
    },
    head: async () => log.at(-1)?.position,
    newest: async (prefixes) =>
      log.findLast(({ stream }) => prefixes?.some((prefix) => stream.startsWith(prefix)) ?? true)?.position,
    subscribeAll: () => {
      throw new Error('The memory event store has no subscriptions')
    },
    probe: async () => {},
    close: async () => {},
  }
}
