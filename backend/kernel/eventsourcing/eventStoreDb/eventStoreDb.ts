import {
  BACKWARDS,
  type Credentials,
  END,
  EventStoreDBClient,
  jsonEvent,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import type { Logger } from 'pino'
import { backoff, pause } from '../../backoff.ts'
import { encodeEvents } from '../encodeEvents.ts'
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
  type SubscribeOptions,
} from '../eventStore.port.ts'
import type { Event } from '../pure/decider.ts'
import { readOnce, withDeadline } from './eventStoreDbReads.ts'
import { isTransient, toGlobalPosition, toStored } from './eventStoreDbRecords.ts'
import { type SearchOptions, subscribeOnce } from './eventStoreDbSubscription.ts'

export interface EventStoreDbOptions extends Partial<SearchOptions> {
  /** `esdb://user:password@host:2113?tls=true`; several hosts for a cluster, or `esdb+discover://` with a DNS name. */
  readonly url: string
  /** Defaults to the credentials in the URL. */
  readonly credentials?: Credentials
  /** Timeout of one append attempt in milliseconds. */
  readonly appendDeadline?: number
  readonly appendAttempts?: number
  /** Maximum wait for the next event of a read, in milliseconds. */
  readonly readDeadline?: number
  /** Milliseconds after which a failed call is no longer retried. */
  readonly giveUpAfter?: number
  /** Path of the CA certificate; not needed if Node already trusts the CA. */
  readonly ca?: string | undefined
  /** Returns the milliseconds to wait before the next attempt; `attempt` starts at 0. */
  readonly pauseBetween?: (attempt: number) => number
  readonly log?: Pick<Logger, 'warn'>
}

/**
 * Creates an event store backed by EventStoreDB 24.10 or newer. Calls are retried while the server is still starting.
 * @example const store = createEventStoreDb({ url: 'esdb://localhost:2113?tls=false' })
 */
export function createEventStoreDb(options: EventStoreDbOptions): EventStore {
  return new EventStoreDb(options)
}

class EventStoreDb implements EventStore {
  readonly #writer: EventStoreDBClient
  /** A separate client, because a dropped subscription resets its client's connection. */
  readonly #reader: EventStoreDBClient
  readonly #options: Required<Omit<EventStoreDbOptions, 'ca'>>
  readonly #closed = new AbortController()

  constructor(options: EventStoreDbOptions) {
    this.#options = {
      credentials: credentialsOf(options.url),
      appendDeadline: 5_000,
      appendAttempts: 6,
      readDeadline: 5_000,
      giveUpAfter: 15_000,
      maxSearchWindow: 500,
      checkpointInterval: 4,
      pauseBetween: (attempt) => backoff(attempt, { initial: 100, max: 30_000 }),
      log: { warn: () => {} },
      ...options,
    }
    const url = withAuthority(options.url, options.ca)
    this.#writer = EventStoreDBClient.connectionString(url)
    this.#reader = EventStoreDBClient.connectionString(url)
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended> {
    this.#closed.signal.throwIfAborted()
    // The client's promise never settles for data that is not JSON, so validate first.
    encodeEvents(stream, events)
    const begun = Date.now()
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#appendOnce(stream, expected, events)
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) throw conflict(stream, expected, error)
        if (!isTransient(error)) throw error
        this.#options.log.warn({ err: error, stream, attempt: attempt + 1 }, 'append failed')
        // With `any`, the server recognises a retry only while it remembers the ids, so retrying is not safe.
        const last = expected === 'any' || attempt + 1 >= this.#options.appendAttempts || this.#isTooLate(begun)
        if (last) throw new AppendOutcomeUnknown(stream, { cause: error })
        await pause(this.#options.pauseBetween(attempt))
      }
    }
  }

  async #appendOnce(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended> {
    const { credentials, appendDeadline } = this.#options
    const batch = events.map(({ id, type, data, meta = {} }) =>
      jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: { ...meta } }),
    )
    const answer = await this.#writer.appendToStream(stream, batch, {
      expectedRevision: typeof expected === 'number' ? BigInt(expected) : expected,
      requiresLeader: true,
      deadline: appendDeadline,
      // Passing credentials per call makes the client use a unary call instead of a batch stream shared by all appends.
      credentials,
    })
    const revision = Number(answer.nextExpectedRevision)
    // The server may omit the position when it recognises a retry.
    const position = answer.position ? toGlobalPosition(answer.position) : await this.#positionOf(stream, revision)
    return { revision, position }
  }

  async #positionOf(stream: string, revision: number): Promise<GlobalPosition> {
    const range = { direction: BACKWARDS, fromRevision: BigInt(revision), maxCount: 1 } as const
    const [found] = await withDeadline(this.#reader.readStream(stream, range), this.#options.readDeadline)
    return toStored(found!.event!).position
  }

  async *readStream<E extends Event>(stream: string, from = 0): AsyncGenerator<Stored<E>> {
    const begun = Date.now()
    for (let next = from, attempt = 0; ; attempt++) {
      try {
        for await (const event of readOnce(this.#reader, stream, next, this.#options.readDeadline)) {
          yield event as Stored<E>
          next = event.revision + 1
        }
        return
      } catch (error) {
        if (!isTransient(error)) throw error
        this.#options.log.warn({ err: error, stream, attempt: attempt + 1 }, 'reading a stream failed')
        if (this.#isTooLate(begun)) throw new StoreUnavailable(stream, { cause: error })
        await pause(this.#options.pauseBetween(attempt))
      }
    }
  }

  #isTooLate = (begun: number): boolean => this.#closed.signal.aborted || Date.now() - begun > this.#options.giveUpAfter

  /** Returns the head of the log, which may be one of the server's system events. */
  async head(): Promise<GlobalPosition | undefined> {
    const last = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const
    const begun = Date.now()
    for (let attempt = 0; ; attempt++) {
      try {
        const [found] = await withDeadline(this.#reader.readAll(last), this.#options.readDeadline)
        return found?.event?.position && toGlobalPosition(found.event.position)
      } catch (error) {
        if (!isTransient(error)) throw error
        if (this.#isTooLate(begun)) throw new StoreUnavailable('$all', { cause: error })
        await pause(this.#options.pauseBetween(attempt))
      }
    }
  }

  async *subscribeAll<E extends Event>(
    options: SubscribeOptions & { readonly onLive?: () => void },
  ): AsyncGenerator<EventBatch<E>> {
    const { maxSearchWindow, checkpointInterval, log, pauseBetween } = this.#options
    const signal = AbortSignal.any([options.signal, this.#closed.signal])
    let from = options.from
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const call = { ...options, from, signal }
        for await (const batch of subscribeOnce(this.#reader, call, { maxSearchWindow, checkpointInterval })) {
          attempt = 0
          from = batch.position
          yield batch as EventBatch<E>
          if (signal.aborted) return
        }
      } catch (error) {
        if (signal.aborted) return
        if (!isTransient(error)) throw error
        log.warn({ err: error }, 'subscription dropped')
      }
      await pause(pauseBetween(attempt), signal)
    }
  }

  /** Ends subscriptions and closes both clients within two seconds: `dispose` could otherwise wait for stale calls. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('The event store is closed'))
    await Promise.race([Promise.all([this.#writer.dispose(), this.#reader.dispose()]), pause(2_000)])
  }
}

function conflict(stream: string, expected: Expected, { actualVersion }: WrongExpectedVersionError): Error {
  const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no_stream'
  return new ConcurrencyConflict(stream, expected, actual)
}

/** Returns placeholders if the URL has none: the client requires credentials, although it sends them only over TLS. */
function credentialsOf(url: string): Credentials {
  const [, username, password] = /^[^:]+:\/\/([^:@/?]+):([^@/?]*)@/.exec(url) ?? []
  if (username === undefined) return { username: 'kinora', password: '' }
  return { username: decodeURIComponent(username), password: decodeURIComponent(password!) }
}

function withAuthority(url: string, ca: string | undefined): string {
  if (ca === undefined) return url
  return `${url}${url.includes('?') ? '&' : '?'}tlsCAFile=${encodeURIComponent(ca)}`
}
