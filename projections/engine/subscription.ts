import { setTimeout as delay } from 'node:timers/promises'
import type { EventBatch, EventStore, GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import type { Written } from './applyWrites.ts'
import { logParked, type ProjectionLog } from './parkedEvents.ts'
import { type Batch, batchFor, projectAlone, projectTogether } from './project.ts'
import { type AnyProjection, streamPrefixesOf } from './projection.ts'
import type { Target } from './readModel.ts'
import { reportLive } from './reportLive.ts'

/** Measures how far read models are behind the log. */
interface Lag {
  /** The oldest event in flight was created at this time. */
  began(projection: string, created: Date): void
  projected(projection: string, events: number): void
  /** Nothing was delivered for this time, although there are events. */
  silent(projection: string, forMs: number): void
  current(projection: string): void
}

export interface Subscribing {
  readonly store: Pick<EventStore, 'subscribeAll'>
  readonly database: Database
  readonly signal: AbortSignal
  readonly log: ProjectionLog
  readonly lag?: Lag
}

/** A read model of a subscription. */
export interface Member {
  readonly target: Target
  /** Its checkpoint. */
  readonly position: GlobalPosition | undefined
  /** Called after each write. */
  readonly onProgress: () => void
  /** Called each time the read model reaches the head of the log. */
  readonly onLive: () => void
}

type Joined = { -readonly [Key in keyof Member]: Member[Key] } & {
  /** Its events up to here were taken from the log. */
  taken: GlobalPosition | undefined
  subscription: Subscription
  /** Settles when its writes are done. */
  writing: Promise<unknown>
  /** Settles when it leaves, with an error if it failed. */
  readonly left: PromiseWithResolvers<void>
}

/** Maximum number of events in a batch. Larger ones save a little more, but block the event loop for up to 100 ms. */
const MAX_BATCH = 1_000
/** Maximum number of batches between checkpoints. Reading irrelevant ones again after a restart is cheap. */
const CHECKPOINT_EVERY = 100
/**
 * Shortest time from one batch at the head of the log to the next. Under load, events that arrive within it share a
 * transaction; otherwise nothing waits. See docs/decisions/0052-prepared-and-spaced-projections.md.
 */
const INTERVAL_MS = 50

/**
 * Keeps read models up to date with one subscription to the log. Those that begin at another position, or go on by
 * themselves after a failure, have subscriptions of their own until they have reached the head of the log.
 * See docs/decisions/0064-one-projector.md.
 */
export function createSubscriptions(subscribing: Subscribing, projections: readonly AnyProjection[]) {
  const [first, ...others] = new Set(projections.flatMap(streamPrefixesOf))
  // All ask for the same streams, so that their positions can be compared.
  const shared: Shared = { ...subscribing, streamPrefixes: first === undefined ? undefined : [first, ...others] }
  const beginning = new Map<GlobalPosition | undefined, Subscription>()
  const running = new Set<Promise<void>>()

  function begin(position: GlobalPosition | undefined): Subscription {
    const subscription = new Subscription(shared, position)
    beginning.set(position, subscription)
    queueMicrotask(() => {
      beginning.delete(position)
      const done = subscription.run().finally(() => running.delete(done))
      running.add(done)
    })
    return subscription
  }

  return {
    /**
     * Projects all events after the position of a read model until the signal aborts. Also resolves when it has to begin
     * again at its checkpoint. Those that begin together at the same position share a subscription.
     * @throws Fenced, or the error of the write or the store
     */
    async follow(member: Member, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return
      const subscription = beginning.get(member.position) ?? begin(member.position)
      const joined: Joined = {
        ...member,
        taken: member.position,
        subscription,
        writing: Promise.resolve(),
        left: Promise.withResolvers(),
      }
      subscription.members.add(joined)
      // When the whole process stops, the subscription ends by itself.
      const leave = () => shared.signal.aborted || joined.subscription.leave(joined)
      signal.addEventListener('abort', leave)
      await joined.left.promise.finally(() => signal.removeEventListener('abort', leave))
    },
    /** Resolves when no subscription runs. */
    async ended(): Promise<void> {
      await Promise.all(running)
    },
  }
}

interface Shared extends Subscribing {
  readonly streamPrefixes: readonly [string, ...string[]] | undefined
  /** The subscription of all read models that have been at the head of the log. */
  common?: Subscription | undefined
}

class Subscription {
  readonly members = new Set<Joined>()
  readonly #shared: Shared
  readonly #over = new AbortController()
  /** Position of the last batch. */
  #position: GlobalPosition | undefined
  /** Position of the last event that was taken from the log. */
  #taken: GlobalPosition | undefined
  #batches = 0
  /** Settles when the batches so far are written. */
  #writing: Promise<unknown> = Promise.resolve()
  #isLive = false

  constructor(shared: Shared, position: GlobalPosition | undefined) {
    this.#shared = shared
    this.#position = position
    this.#taken = position
  }

  leave(member: Joined, error?: unknown): void {
    if (!this.members.delete(member)) return
    if (error === undefined) member.left.resolve()
    else member.left.reject(error)
    if (this.members.size === 0) this.#end()
  }

  #end(): void {
    if (this.#shared.common === this) this.#shared.common = undefined
    this.#over.abort()
  }

  async run(): Promise<void> {
    const { store, database, lag, streamPrefixes, ...shared } = this.#shared
    const signal = AbortSignal.any([shared.signal, this.#over.signal])
    const reports = reportLive(database, () => [...this.members].map(({ target }) => target.projection))
    const options = {
      ...{ name: 'readModels', from: this.#position, maxBatch: MAX_BATCH, signal },
      ...(streamPrefixes && { streamPrefixes }),
      onLive: () => void this.#arrived(reports.arrived),
      onSilent: (forMs: number) => {
        reports.left()
        for (const { target } of this.members) lag?.silent(target.name, forMs)
      },
    }
    try {
      for await (const batch of store.subscribeAll(options)) {
        reports.left()
        const next = performance.now() + INTERVAL_MS
        await this.#take(batch)
        if (!batch.live) this.#isLive = false
        else if (this.#isLive) await delay(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => {})
      }
      await this.#writing
      await this.#moveCheckpoints()
    } catch (error) {
      for (const member of this.members) this.leave(member, error)
    } finally {
      await this.#writing
      await reports.stop()
      for (const member of this.members) {
        // Another process runs the projection and measures its lag.
        lag?.current(member.target.name)
        this.leave(member)
      }
    }
  }

  /** Called at the head of the log. Moves the read models to the common subscription unless that has taken more events. */
  async #arrived(report: () => void): Promise<void> {
    const batches = this.#batches
    await this.#writing
    if (this.#over.signal.aborted || batches < this.#batches) return
    report()
    this.#isLive = true
    for (const { target, onLive } of this.members) {
      this.#shared.lag?.current(target.name)
      onLive()
    }
    this.#shared.common ??= this
    const { common } = this.#shared
    if (common === this || isBefore(this.#position, common.#taken)) return
    for (const member of this.members) {
      Object.assign(member, { subscription: common, taken: this.#position })
      common.members.add(member)
    }
    this.members.clear()
    this.#end()
  }

  /**
   * Writes a batch: at the head of the log in one transaction; behind it in one for each read model, which is faster, while
   * the next batch is taken. See docs/decisions/0050-read-models-catch-up-side-by-side.md.
   */
  async #take(batch: EventBatch): Promise<void> {
    const previous = this.#writing
    if (batch.live) await previous
    this.#taken = batch.events.at(-1)?.position ?? this.#taken
    const writes = this.#writesOf(batch, ++this.#batches % CHECKPOINT_EVERY === 0)
    for (const { target, events } of writes) if (events[0]) this.#shared.lag?.began(target.name, events[0].created)
    const isTogether = batch.live && this.members.size > 1
    // If it fails, each read model tries alone, so that a broken one does not stop the others.
    const written = isTogether ? await projectTogether(this.#shared.database, writes).catch(() => undefined) : undefined
    const writing = writes.map((write) => {
      const { member } = write
      member.writing = member.writing
        .then(() => this.#finish(write, written))
        .catch((error) => this.leave(member, error))
      return member.writing
    })
    this.#writing = Promise.all(writing)
    await (batch.live ? this.#writing : previous)
    this.#position = batch.position
  }

  async #finish(write: MemberBatch, written: Written<MemberBatch> | undefined): Promise<void> {
    const { database, log, lag } = this.#shared
    const { member, target, events, to } = write
    if (!this.members.has(member)) return
    const parked = written ? written.get(write) : await projectAlone(database, { ...write, from: member.position })
    // Its checkpoint is locked or was moved. By itself, it can wait for the lock.
    if (!parked) return this.leave(member)
    member.position = to
    member.onProgress()
    lag?.projected(target.name, events.length)
    logParked(log, target.name, parked)
  }

  #writesOf(batch: EventBatch, isCheckpoint: boolean): MemberBatch[] {
    return [...this.members].flatMap((member) => {
      const write = { ...batchFor(member.target, batch, member.position, member.taken), member }
      return write.events.length > 0 || (isCheckpoint && isBefore(member.position, write.to)) ? [write] : []
    })
  }

  /** Moves the checkpoints that irrelevant batches left behind, so that all read models begin together at the next start. */
  async #moveCheckpoints(): Promise<void> {
    const position = this.#position
    if (position === undefined) return
    const late = [...this.members].filter((member) => isBefore(member.position, position))
    const batch = { events: [], position, live: true }
    const moves = late.map(({ target, position: from }) => batchFor(target, batch, from))
    if (moves.length > 0) await projectTogether(this.#shared.database, moves).catch(() => {})
  }
}

type MemberBatch = Batch & { readonly member: Joined }

const isBefore = (position: GlobalPosition | undefined, other: GlobalPosition | undefined) =>
  (position ?? '') < (other ?? '')
