import type { Event } from './pure/decider.ts'

declare const brand: unique symbol
/** Opaque position in the global log of one store. Positions compare as strings. */
export type GlobalPosition = string & { readonly [brand]: 'GlobalPosition' }

/** Optimistic concurrency: the revision a stream must be at. A number is the revision of its last event, from 0. */
export type Expected = 'any' | 'no_stream' | number

export type Metadata = Readonly<Record<string, unknown>>

export interface NewEvent {
  /** A UUID, derived from the command's id: a retry with the same id is idempotent. */
  readonly id: string
  readonly type: string
  /** Must survive a JSON round trip. */
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
  /** Checkpoint: everything up to here has been delivered once this batch is handled. */
  readonly position: GlobalPosition
  /** Whether the batch reaches the head of the log, as of when it was read. */
  readonly live: boolean
}

export interface SubscribeOptions {
  /** Exclusive; omitted: from the start of the log. */
  readonly from?: GlobalPosition | undefined
  /** Delivers only streams whose name starts with one of these; omitted: every stream of the application. */
  readonly streamPrefixes?: readonly [string, ...string[]]
  readonly signal: AbortSignal
  /** Maximum events per batch, 500 by default. */
  readonly maxBatch?: number
}

export interface EventStore {
  /**
   * Appends all events or none. Repeating an append with the same ids succeeds without storing them twice.
   * @throws ConcurrencyConflict the stream is at another revision
   * @throws AppendOutcomeUnknown no answer came: read, or retry with the same ids and expectation
   * @example await store.append('videoTask-1', 'no_stream', [{ id, type: 'VideoTaskSubmitted', data }])
   */
  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended>
  /** Reads a stream from a revision; yields nothing if it does not exist. @throws StoreUnavailable */
  readStream<E extends Event = Event>(stream: string, from?: number): AsyncIterable<Stored<E>>
  /**
   * Delivers events at least once, in log order. Reconnects by itself; ends when the signal aborts. An empty log yields
   * no batch; `onLive` is called each time the head is reached.
   */
  subscribeAll<E extends Event = Event>(
    options: SubscribeOptions & { readonly onLive?: () => void },
  ): AsyncIterable<EventBatch<E>>
  /** Returns a position at or after the last event; undefined for an empty log. */
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

/** The store did not answer within its retries. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}
