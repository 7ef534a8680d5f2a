import type { Event } from './pure/decider.ts'

declare const brand: unique symbol
/** Opaque place in the global log of one store. Ordered by string comparison; kept as text. */
export type GlobalPosition = string & { readonly [brand]: 'GlobalPosition' }

/** The revision a stream must be at for an append to be taken. A number is the revision of its last event, from 0. */
export type Expected = 'any' | 'no_stream' | number

export type Metadata = Readonly<Record<string, unknown>>

export interface NewEvent {
  /** A UUID. The same id on a retry makes the retry idempotent: derive it from the command's id. */
  readonly id: string
  readonly type: string
  /** JSON that survives a round trip. */
  readonly data: object
  readonly meta?: Metadata
}

/**
 * An event as the store returns it. `E` is the caller's claim about the events of a stream; the store does not check it.
 * @example for await (const event of store.readStream<VideoTaskEvent>(stream)) if (event.type === 'VideoTaskFailed') …
 */
export type Stored<E extends Event = Event> = E & {
  readonly id: string
  readonly stream: string
  /** Position in its stream, from 0. */
  readonly revision: number
  readonly position: GlobalPosition
  readonly created: Date
  readonly meta: Metadata
}

export interface Appended {
  /** Revision of the last event written. */
  readonly revision: number
  readonly position: GlobalPosition
}

export interface EventBatch<E extends Event = Event> {
  readonly events: readonly Stored<E>[]
  /** Everything asked for up to here has been delivered once this batch is handled. */
  readonly position: GlobalPosition
  /** True when the log held nothing further at the moment of reading. */
  readonly live: boolean
}

export interface SubscribeOptions {
  /** Exclusive. Left out: from the beginning. */
  readonly from?: GlobalPosition | undefined
  /** Stream names that begin with one of these; left out: every stream of the application. */
  readonly streamPrefixes?: readonly [string, ...string[]]
  readonly signal: AbortSignal
  /** Events in one batch at most (500). */
  readonly maxBatch?: number
}

export interface EventStore {
  /**
   * Appends all events or none.
   * @throws ConcurrencyConflict the stream is elsewhere and these events are not what stands there already
   * @throws AppendOutcomeUnknown no answer came: read, or retry with the same ids and the same expectation
   */
  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended>
  /** Empty for a stream that does not exist. @throws StoreUnavailable */
  readStream<E extends Event = Event>(stream: string, from?: number): AsyncIterable<Stored<E>>
  /**
   * At least once, in log order; survives dropped connections; ends when the signal aborts. An empty log yields no
   * position, so the first batch may come only with the first event; `onLive` is called each time the head is reached.
   */
  subscribeAll<E extends Event = Event>(
    options: SubscribeOptions & { readonly onLive?: () => void },
  ): AsyncIterable<EventBatch<E>>
  /** A position that no event has passed yet; undefined when there is none. */
  head(): Promise<GlobalPosition | undefined>
  close(): Promise<void>
}

export class ConcurrencyConflict extends Error {
  override name = 'ConcurrencyConflict'
  readonly actual: number | 'no_stream'
  constructor(stream: string, expected: Expected, actual: number | 'no_stream') {
    super(`${stream}: expected ${expected}, is at ${actual}`)
    this.actual = actual
  }
}

export class AppendOutcomeUnknown extends Error {
  override name = 'AppendOutcomeUnknown'
}

/** The store cannot be asked now, however often. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}
