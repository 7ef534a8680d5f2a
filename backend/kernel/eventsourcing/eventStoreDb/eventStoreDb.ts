import { BACKWARDS, ErrorType, type EventStoreDBClient, WrongExpectedVersionError } from '@eventstore/db-client'
import type { Logger } from 'pino'
import { backoff, pause } from '../../backoff.ts'
import { must } from '../../must.ts'
import { type EncodedEvent, encodeEvents } from '../encodeEvents.ts'
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
  StoreRejected,
  StoreUnavailable,
  type SubscribeOptions,
} from '../eventStore.port.ts'
import type { Event } from '../pure/decider.ts'
import { type EventStoreDbClient, EventStoreDbConnection } from './eventStoreDbConnection.ts'
import { explainOutage, PROBE, PROBE_STREAM, rejectionOf } from './eventStoreDbProbe.ts'
import { readHead, readNewest, readOnce, withDeadline, withTimeout } from './eventStoreDbReads.ts'
import { isOfType, isTransient, toGlobalPosition, toStored } from './eventStoreDbRecords.ts'
import { faultOfRelease } from './eventStoreDbReleases.ts'
import { type EventStoreDbSettings, parseEventStoreUrl } from './eventStoreDbSettings.ts'
import { type SearchOptions, subscribeOnce } from './eventStoreDbSubscription.ts'

export interface EventStoreDbOptions extends Partial<SearchOptions> {
  /** `esdb://user:password@host:2113?tls=true`; several hosts for a cluster, or `esdb+discover://` with a DNS name. */
  readonly url: string
  /** Timeout of the first attempt of an append in milliseconds. It doubles with each attempt. */
  readonly appendDeadline?: number
  readonly appendAttempts?: number
  /** Maximum wait for the next event of a read in milliseconds. It doubles with each attempt. */
  readonly readDeadline?: number
  /** Milliseconds after which a failed call is no longer retried. */
  readonly giveUpAfter?: number
  /** Milliseconds without an answer after which a subscription ends with an error. By default it never does. */
  readonly endSubscriptionsAfter?: number
  /** Path of the CA certificate; not needed if Node already trusts the CA. */
  readonly ca?: string | undefined
  /** Returns the milliseconds to wait before the next attempt; `attempt` starts at 0. */
  readonly pauseBetween?: (attempt: number) => number
  readonly log?: Pick<Logger, 'warn'>
}

const WARN_EVERY_MS = 60_000
const PROBE_TIMEOUT_MS = 1_300
/** Maximum timeout of one attempt, in milliseconds. */
const MAX_DEADLINE_MS = 15_000

const PROBES = encodeEvents(PROBE_STREAM, [PROBE])

export interface EventStoreDbStore extends EventStore {
  /** Returns what is wrong with the release of the server, or undefined. @throws Error the server cannot be reached */
  releaseFault(): Promise<string | undefined>
}

/**
 * Creates an event store backed by EventStoreDB 23.10, 24.10.5 and later, or KurrentDB. Calls are retried while the server cannot be reached.
 * Warns once, at the first successful probe, of a release with a known fault.
 * @example const store = createEventStoreDb({ url: 'esdb://localhost:2113?tls=false' })
 * @throws InvalidEventStoreUrl
 */
export function createEventStoreDb(options: EventStoreDbOptions): EventStoreDbStore {
  return new EventStoreDb(options)
}

class EventStoreDb implements EventStoreDbStore {
  readonly #settings: EventStoreDbSettings
  readonly #writer: EventStoreDbConnection
  /** A separate connection, because a dropped subscription resets its client's connection. */
  readonly #reader: EventStoreDbConnection
  readonly #options: Required<Omit<EventStoreDbOptions, 'ca' | 'url'>>
  readonly #closed = new AbortController()
  #warnedAt = Number.NEGATIVE_INFINITY
  #isReleaseKnown = false

  constructor({ url, ca, ...options }: EventStoreDbOptions) {
    this.#options = {
      appendDeadline: 2_500,
      appendAttempts: Number.POSITIVE_INFINITY,
      readDeadline: 2_500,
      giveUpAfter: 15_000,
      endSubscriptionsAfter: Number.POSITIVE_INFINITY,
      maxSearchWindow: 500,
      checkpointInterval: 4,
      pauseBetween: (attempt) => backoff(attempt, { initial: 100, max: 1_000 }),
      log: { warn: () => {} },
      ...options,
    }
    const settings = parseEventStoreUrl(url)
    this.#settings = { ...settings, ca: ca ?? settings.ca }
    this.#writer = new EventStoreDbConnection(this.#settings, this.#options.log)
    this.#reader = new EventStoreDbConnection(this.#settings, this.#options.log)
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended> {
    this.#closed.signal.throwIfAborted()
    const encoded = encodeEvents(stream, events)
    const begun = performance.now()
    for (let attempt = 0; ; attempt++) {
      const { client } = this.#writer
      try {
        const deadline = this.#deadline(this.#options.appendDeadline, attempt, begun)
        return await this.#appendOnce(client, stream, expected, encoded, deadline)
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) throw conflict(stream, expected, error)
        if (!isTransient(error)) throw rejectionOf(error, 'append to streams', this.#settings) ?? error
        this.#recover(this.#writer, client, error)
        // With `any`, the server recognises a retry only while it remembers the ids, so retrying is not safe.
        const last = expected === 'any' || attempt + 1 >= this.#options.appendAttempts || this.#isTooLate(begun)
        if (last)
          throw new AppendOutcomeUnknown(`EventStoreDB did not confirm an append to ${stream}`, { cause: error })
        await pause(this.#options.pauseBetween(attempt), this.#closed.signal)
      }
    }
  }

  async #appendOnce(
    { appends }: EventStoreDbClient,
    stream: string,
    expected: Expected,
    events: readonly EncodedEvent[],
    deadline: number,
  ): Promise<Appended> {
    const answer = await appends.append(stream, expected, events, deadline)
    const revision = Number(answer.getCurrentRevision())
    const at = answer.getPosition()
    // The server may omit the position when it recognises a retry.
    const position = at
      ? toGlobalPosition({ commit: BigInt(at.getCommitPosition()), prepare: BigInt(at.getPreparePosition()) })
      : await this.#positionOf(stream, revision)
    return { revision, position }
  }

  async #positionOf(stream: string, revision: number): Promise<GlobalPosition> {
    const range = { direction: BACKWARDS, fromRevision: BigInt(revision), maxCount: 1 } as const
    const [found] = await withDeadline(this.#reader.client.readStream(stream, range), this.#options.readDeadline)
    return toStored(must(found?.event, 'appended event')).position
  }

  async *readStream<E extends Event>(stream: string, from = 0): AsyncGenerator<Stored<E>> {
    let begun = performance.now()
    for (let next = from, attempt = 0; ; attempt++) {
      const { client } = this.#reader
      try {
        for await (const event of readOnce(
          client,
          stream,
          next,
          this.#deadline(this.#options.readDeadline, attempt, begun),
        )) {
          yield event as Stored<E>
          next = event.revision + 1
          // A long read may fail again and again, as long as it advances.
          begun = performance.now()
          attempt = 0
        }
        return
      } catch (error) {
        await this.#retryRead(client, error, { stream, begun, attempt })
      }
    }
  }

  /** Returns the head of the log, which may be one of the server's system events. */
  head(): Promise<GlobalPosition | undefined> {
    return this.#readAll(readHead)
  }

  newest(streamPrefixes?: readonly string[]): Promise<GlobalPosition | undefined> {
    return this.#readAll((client, timeout) => readNewest(client, streamPrefixes, timeout))
  }

  async #readAll<T>(read: (client: EventStoreDBClient, timeout: number) => Promise<T>): Promise<T> {
    const begun = performance.now()
    for (let attempt = 0; ; attempt++) {
      const { client } = this.#reader
      try {
        return await read(client, this.#deadline(this.#options.readDeadline, attempt, begun))
      } catch (error) {
        await this.#retryRead(client, error, { stream: '$all', begun, attempt })
      }
    }
  }

  /** Returns when a failed read may be tried again. @throws StoreUnavailable, StoreRejected, or an error of the caller */
  async #retryRead(
    client: EventStoreDBClient,
    error: unknown,
    { stream, begun, attempt }: { stream: string; begun: number; attempt: number },
  ): Promise<void> {
    if (!isTransient(error)) throw rejectionOf(error, `read ${stream}`, this.#settings) ?? error
    this.#recover(this.#reader, client, error)
    if (this.#isTooLate(begun)) throw await this.#unavailable(error)
    await pause(this.#options.pauseBetween(attempt), this.#closed.signal)
  }

  /** Connects again after a failed call, unless the client has already followed a change of leader. */
  #recover(connection: EventStoreDbConnection, client: EventStoreDBClient, error: unknown): void {
    if (!isOfType(error, ErrorType.NOT_LEADER)) connection.renew(client)
    if (this.#closed.signal.aborted || performance.now() - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = performance.now()
    this.#options.log.warn({ err: error }, 'event store call failed, retrying')
  }

  /** Returns the error of a call that is given up. @throws StoreRejected */
  async #unavailable(error: unknown): Promise<StoreUnavailable> {
    const reason = this.#closed.signal.aborted ? 'the connection is closed' : await explainOutage(this.#settings)
    return new StoreUnavailable(`EventStoreDB does not answer (${reason})`, { cause: error })
  }

  /** Returns the timeout of an attempt: short, to notice a lost leader, then longer, for a server that is only slow. */
  #deadline(first: number, attempt: number, begun = performance.now(), limit = this.#options.giveUpAfter): number {
    return Math.min(first * 2 ** attempt, MAX_DEADLINE_MS, Math.max(first, limit - (performance.now() - begun)))
  }

  #isTooLate = (begun: number): boolean =>
    this.#closed.signal.aborted || performance.now() - begun > this.#options.giveUpAfter

  async probe(): Promise<void> {
    const [writer, reader] = [this.#writer.client, this.#reader.client]
    const check = async (right: string, call: Promise<unknown>) => {
      try {
        await call
      } catch (error) {
        throw rejectionOf(error, right, this.#settings) ?? error
      }
    }
    try {
      await Promise.all([
        check('append to streams', this.#appendOnce(writer, PROBE_STREAM, 'no_stream', PROBES, PROBE_TIMEOUT_MS)),
        check('read streams', Array.fromAsync(readOnce(reader, PROBE_STREAM, 0, PROBE_TIMEOUT_MS, 1))),
        check('read $all', readHead(reader, PROBE_TIMEOUT_MS)),
      ])
    } catch (error) {
      if (error instanceof StoreRejected || !isTransient(error)) throw error
      this.#writer.renew(writer)
      this.#reader.renew(reader)
      throw await this.#unavailable(error)
    }
    if (this.#isReleaseKnown) return
    this.#isReleaseKnown = true
    const fault = await this.releaseFault().catch(() => undefined)
    if (fault) this.#options.log.warn({ fault }, 'event store release has a known fault')
  }

  async releaseFault(): Promise<string | undefined> {
    return faultOfRelease(await withTimeout(this.#reader.version(), PROBE_TIMEOUT_MS))
  }

  async *subscribeAll<E extends Event>(
    options: SubscribeOptions & { readonly onLive?: () => void },
  ): AsyncGenerator<EventBatch<E>> {
    const { readDeadline, pauseBetween, endSubscriptionsAfter } = this.#options
    const signal = AbortSignal.any([options.signal, this.#closed.signal])
    let from = options.from
    let answered = performance.now()
    for (let attempt = 0; !signal.aborted; attempt++) {
      const { client } = this.#reader
      try {
        const call = { ...options, from, signal }
        const timeout = this.#deadline(readDeadline, attempt, answered, endSubscriptionsAfter)
        for await (const batch of subscribeOnce(client, call, this.#options, timeout)) {
          attempt = 0
          from = batch.position
          yield batch as EventBatch<E>
          if (signal.aborted) return
          answered = performance.now()
        }
      } catch (error) {
        if (signal.aborted) return
        const rejection = rejectionOf(error, 'read $all', this.#settings)
        if (!rejection && !isTransient(error)) throw error
        this.#recover(this.#reader, client, rejection ?? error)
        if (performance.now() - answered > endSubscriptionsAfter) throw rejection ?? (await this.#unavailable(error))
      }
      await pause(pauseBetween(attempt), signal)
    }
  }

  /** Ends subscriptions and closes both clients within two seconds: `dispose` could otherwise wait for stale calls. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('The event store is closed'))
    await Promise.race([Promise.all([this.#writer.close(), this.#reader.close()]), pause(2_000)])
  }
}

function conflict(stream: string, expected: Expected, { actualVersion }: WrongExpectedVersionError): Error {
  const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no_stream'
  return new ConcurrencyConflict(stream, expected, actual)
}
