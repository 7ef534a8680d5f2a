import { encodeEvents } from '#backend/kernel/eventsourcing/encodeEvents.ts'
import {
  type Appended,
  AppendOutcomeUnknown,
  ConcurrencyConflict,
  type EventBatch,
  type EventStore,
  type Expected,
  type GlobalPosition,
  type NewEvent,
  type Stored,
  StoreUnavailable,
  type StreamAppend,
  type SubscribeOptions,
} from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { currentMachine, type Latency, type Machine, type Scheduler } from '../time/scheduler.ts'

const APPEND: Latency = { min: 1, max: 20 }
const READ: Latency = { min: 0.5, max: 8 }
/** Time until a subscription learns of new events. */
const WAKE: Latency = { min: 5, max: 250 }
const RECONNECT_MS = 300

type Encoded = ReturnType<typeof encodeEvents>

/** A subscription at the head of the log. */
interface Waiting {
  readonly machine: Machine | undefined
  readonly prefixes: readonly string[] | undefined
  readonly wake: () => void
}

export interface StoreFaults {
  isDown: boolean
  /** Probability that the answer to an append is lost. */
  lostAnswers: number
}

/** The event store of a simulated installation. `log` is what it contains; `onAppend` sees each event as written. */
export class SimulatedEventStore implements EventStore {
  readonly log: Stored[] = []
  readonly faults: StoreFaults = { isDown: false, lostAnswers: 0 }
  readonly #streams = new Map<string, Stored[]>()
  readonly #scheduler: Scheduler
  readonly #onAppend: (event: Stored) => void
  /** Missing if the store appends to one stream only. */
  readonly appendAll?: (parts: readonly StreamAppend[]) => Promise<readonly Appended[]>
  #waiting: Waiting[] = []
  #positions = 0

  constructor(scheduler: Scheduler, onAppend: (event: Stored) => void, appendsTogether: boolean) {
    this.#scheduler = scheduler
    this.#onAppend = onAppend
    if (appendsTogether) this.appendAll = (parts) => this.#appendAll(parts)
  }

  /** Returns the stored events of a stream, now. */
  stream(name: string): readonly Stored[] {
    return this.#streams.get(name) ?? []
  }

  /** Appends without a machine, as an older version of the product or an operator might have done. */
  write(stream: string, events: readonly NewEvent[]): Appended {
    return this.#write(stream, 'any', encodeEvents(stream, events))
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended> {
    return (await this.#appendAll([{ stream, expected, events }]))[0]!
  }

  async #appendAll(parts: readonly StreamAppend[]): Promise<readonly Appended[]> {
    const encoded = parts.map(({ stream, events, expected }) => ({
      stream,
      expected,
      events: encodeEvents(stream, events),
    }))
    const { random } = this.#scheduler
    return this.#scheduler.call(APPEND, () => {
      if (this.faults.isDown) throw new StoreUnavailable('the event store is down')
      const isLost = random.chance(this.faults.lostAnswers)
      if (isLost && random.chance(0.5)) throw new AppendOutcomeUnknown(parts[0]!.stream)
      // All are checked before the first is written.
      for (const { stream, expected, events } of encoded) this.#findRepeated(stream, expected, events)
      const appended = encoded.map(({ stream, expected, events }) => this.#write(stream, expected, events))
      if (isLost) throw new AppendOutcomeUnknown(parts[0]!.stream)
      return appended
    })
  }

  async *readStream<E extends Event>(stream: string, from = 0): AsyncGenerator<Stored<E>> {
    const events = await this.#scheduler.call(READ, () => {
      if (this.faults.isDown) throw new StoreUnavailable('the event store is down')
      return this.stream(stream).filter(({ revision }) => revision >= from)
    })
    yield* events as Stored<E>[]
  }

  async *subscribeAll<E extends Event>(
    options: SubscribeOptions & { readonly onLive?: () => void },
  ): AsyncGenerator<EventBatch<E>> {
    const { streamPrefixes, signal, maxBatch = 500, onLive } = options
    let from: string = options.from ?? ''
    while (!signal.aborted) {
      const read = await this.#scheduler.call(READ, () => this.#readLog(from, streamPrefixes, maxBatch))
      if (signal.aborted) return
      if (!read) {
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
        continue
      }
      from = read.position
      if (read.events.length > 0) yield read as unknown as EventBatch<E>
      if (signal.aborted) return
      if (!read.live) continue
      onLive?.()
      await this.#changed(from, streamPrefixes, signal)
    }
  }

  async head(): Promise<GlobalPosition | undefined> {
    return this.log.at(-1)?.position
  }

  async newest(streamPrefixes?: readonly string[]): Promise<GlobalPosition | undefined> {
    const matches = ({ stream }: Stored) => streamPrefixes?.some((prefix) => stream.startsWith(prefix)) ?? true
    return this.log.findLast(matches)?.position
  }

  async probe(): Promise<void> {}

  async close(): Promise<void> {}

  /** Replaces the data of a stored event, as someone with access to the disk could. */
  edit(stream: string, revision: number, data: object): void {
    const events = this.#streams.get(stream)!
    const index = events.findIndex((event) => event.revision === revision)
    const edited = { ...events[index]!, data }
    this.log[this.log.indexOf(events[index]!)] = edited
    events[index] = edited
  }

  /** Removes a stored event. */
  cut(stream: string, revision: number): void {
    const events = this.#streams.get(stream)!
    const index = events.findIndex((event) => event.revision === revision)
    this.log.splice(this.log.indexOf(events[index]!), 1)
    events.splice(index, 1)
  }

  #readLog(from: string, prefixes: readonly string[] | undefined, maxBatch: number) {
    if (this.faults.isDown) return undefined
    const events: Stored[] = []
    let index = this.log.findLastIndex(({ position }) => position <= from) + 1
    let position = from
    for (; index < this.log.length && events.length < maxBatch; index++) {
      const event = this.log[index]!
      position = event.position
      if (!prefixes || prefixes.some((prefix) => event.stream.startsWith(prefix))) events.push(event)
    }
    return { events, position: position as GlobalPosition, live: index === this.log.length }
  }

  async #changed(from: string, prefixes: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
    const machine = currentMachine()
    if (this.#readLog(from, prefixes, 1)?.events.length !== 0) return
    await new Promise<void>((wake) => {
      this.#waiting.push({ machine, prefixes, wake })
      signal.addEventListener('abort', () => wake(), { once: true })
    })
  }

  /** Returns the result of an append that is stored already. @throws ConcurrencyConflict */
  #findRepeated(stream: string, expected: Expected, events: Encoded): Appended | undefined {
    const known = this.stream(stream)
    const last = known.at(-1)?.revision ?? -1
    const from = expected === 'any' ? last : expected === 'no_stream' ? -1 : expected
    const there = known.filter(({ revision }) => revision > from).slice(0, events.length)
    if (there.length === events.length && there.every(({ id }, index) => id === events[index]!.id))
      return { revision: there.at(-1)!.revision, position: there.at(-1)!.position }
    if (from !== last) throw new ConcurrencyConflict(stream, expected, last < 0 ? 'no_stream' : last)
    return undefined
  }

  #write(stream: string, expected: Expected, events: Encoded): Appended {
    const repeated = this.#findRepeated(stream, expected, events)
    if (repeated) return repeated
    const known = this.#streams.get(stream) ?? []
    const last = known.at(-1)?.revision ?? -1
    const created = new Date(Math.floor(this.#scheduler.now))
    for (const [index, { id, type, data, meta }] of events.entries()) {
      const position = String(++this.#positions).padStart(20, '0') as GlobalPosition
      const revision = last + 1 + index
      const stored = { id, type, stream, revision, position, created, data: JSON.parse(data), meta: JSON.parse(meta) }
      known.push(stored)
      this.log.push(stored)
      this.#onAppend(stored)
    }
    this.#streams.set(stream, known)
    this.#waiting = this.#waiting.filter((waiting) => {
      if (waiting.prefixes && !waiting.prefixes.some((prefix) => stream.startsWith(prefix))) return true
      this.#scheduler.schedule(this.#scheduler.random.between(WAKE.min, WAKE.max), waiting.machine, waiting.wake)
      return false
    })
    return { revision: last + events.length, position: known.at(-1)!.position }
  }
}
