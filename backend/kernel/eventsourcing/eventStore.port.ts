import type { Event } from './pure/decider.ts'

declare const brand: unique symbol
/** Opaque position in the global log of one store. Positions compare as strings. */
export type GlobalPosition = string & { readonly [brand]: 'GlobalPosition' }

/** Expected revision of a stream, for optimistic concurrency. A number is the revision of its last event, from 0. */
export type Expected = 'any' | 'no_stream' | number

export type Metadata = Readonly<Record<string, unknown>>

export interface NewEvent {
  /** UUID derived from the command id and the content, by which the store recognises a repeated append. */
  readonly id: string
  readonly type: string
  /** Must survive a JSON round trip. */
  readonly data: object
  readonly meta?: Metadata
}

/**
 * A stored event. `E` is the event type that the caller expects; the store does not check it.
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

/** The part of an append to several streams that goes to one of them. */
export interface StreamAppend {
  readonly stream: string
  readonly expected: Expected
  readonly events: readonly NewEvent[]
}

export interface EventBatch<E extends Event = Event> {
  readonly events: readonly Stored<E>[]
  /** Checkpoint. After this batch is processed, a subscription can resume from here. */
  readonly position: GlobalPosition
  /** Whether the batch reached the head of the log when it was read. */
  readonly live: boolean
}

export interface SubscribeFilter {
  /** Delivers only streams whose names start with one of these; all application streams by default. */
  readonly streamPrefixes?: readonly [string, ...string[]]
  /** Maximum number of events per batch; 500 by default. */
  readonly maxBatch?: number
}

export interface SubscribeOptions extends SubscribeFilter {
  /** Names a subscription that runs for as long as the process, so that its deliveries are watched. */
  readonly name?: string
  /** Called when a watched subscription has delivered nothing for a while, although the log has events for it. */
  readonly onSilent?: (forMs: number) => void
  /** Exclusive start position; the start of the log by default. */
  readonly from?: GlobalPosition | undefined
  readonly signal: AbortSignal
}

/** Number of events that {@link EventStore.newest} looks at. */
export const NEWEST_AMONG = 200

export interface EventStore {
  /**
   * Appends all events or none. Repeating an append with the same event ids does not store them twice.
   * @throws ConcurrencyConflict the stream is at another revision
   * @throws AppendOutcomeUnknown the store did not answer: read the stream, or retry with the same arguments
   * @example await store.append('videoTask-1', 'no_stream', [{ id, type: 'VideoTaskSubmitted', data }])
   */
  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended>
  /**
   * Appends to distinct streams in one commit, all events or none. Missing where the store cannot: use it to save commits,
   * never to rely on them. Repeating a stored append stores nothing twice.
   * @throws ConcurrencyConflict naming the first stream that is at another revision
   * @throws AppendOutcomeUnknown as {@link append}
   */
  appendAll?(appends: readonly StreamAppend[]): Promise<readonly Appended[]>
  /** Reads a stream from a revision, inclusive. Yields nothing if it does not exist. @throws StoreUnavailable */
  readStream<E extends Event = Event>(stream: string, from?: number): AsyncIterable<Stored<E>>
  /**
   * Delivers events at least once, in log order. Reconnects automatically; ends when the signal aborts. An empty log
   * yields no batch. Calls `onLive` each time it reaches the head.
   */
  subscribeAll<E extends Event = Event>(
    options: SubscribeOptions & { readonly onLive?: () => void },
  ): AsyncIterable<EventBatch<E>>
  /** Returns a position at or after the last event; undefined for an empty log. */
  head(): Promise<GlobalPosition | undefined>
  /**
   * Returns the position of the newest event that a subscription with these prefixes delivers, or undefined if none of the
   * last {@link NEWEST_AMONG} events is one.
   * @throws StoreUnavailable
   */
  newest(streamPrefixes?: readonly string[]): Promise<GlobalPosition | undefined>
  /**
   * Checks within two seconds that events can be appended and read. Leaves no event behind.
   * @throws StoreUnavailable, StoreRejected
   */
  probe(): Promise<void>
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

/** Thrown when the store does not answer before its retries are exhausted. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/**
 * Thrown when the store rejects the configured user, or its certificate cannot be trusted: retrying does not help. The
 * message names the setting and the remedy.
 */
export class StoreRejected extends Error {
  override name = 'StoreRejected'
}
