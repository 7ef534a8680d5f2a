import { setTimeout as delay } from 'node:timers/promises'
import { traced } from '../observability/tracing.ts'
import { appendTogether, type Following, type HandledTogether, type Join, type Joined } from './appendTogether.ts'
import type { CommandContext, Handled } from './command.ts'
import {
  AppendOutcomeUnknown,
  ConcurrencyConflict,
  type EventStore,
  type GlobalPosition,
  type NewEvent,
  type Stored,
  type StreamAppend,
} from './eventStore.port.ts'
import { applyStored, type Folded, isHashed } from './pure/applyStored.ts'
import { assertSound, type Decider, type Event } from './pure/decider.ts'
import { derivedId, eventHash } from './pure/eventHash.ts'
import { schemaVersion } from './pure/eventSchemas.ts'
import type { Quarantine } from './quarantine.ts'
import type { SnapshotStore } from './snapshotStore.port.ts'
import { type OnFirst, StreamReader, type StreamState } from './streamReader.ts'

/** Thrown when every attempt to append lost to another writer. The command can be retried. */
export class StreamBusy extends Error {
  override name = 'StreamBusy'
}

export interface LaneDeps {
  readonly store: EventStore
  readonly quarantine: Quarantine
  readonly snapshots: SnapshotStore | undefined
  /** Called each time no command is left. */
  readonly onIdle: () => void
  readonly onFirst?: OnFirst | undefined
}

interface Pending<S, C> {
  /** Undefined for a read, which appends nothing. */
  readonly order: Order<C> | undefined
  /** Whether the stream is not expected to exist. */
  readonly begins: boolean
  readonly following: Following<S>
  readonly resolve: (handled: HandledTogether<S>) => void
  readonly reject: (error: unknown) => void
}

type Order<C> = { readonly command: C; readonly context: CommandContext }

/** Answers a command, once its events and those that followed are stored. */
type Answer = (position: GlobalPosition | undefined, followed?: readonly Handled<unknown>[]) => void

const ATTEMPTS = 20
/** Several, because a command that did not join an append is sent by itself right after the read. */
const READS_FIRST = 3
const MAX_BATCH = 200
/** Bytes: about the state of a video task with a prompt of medium length. */
const DEFAULT_WEIGHT = 2_000
const NONE: Following<unknown> = () => []

function attempt<T>(decide: () => T) {
  try {
    return { decided: decide() }
  } catch (error) {
    return { error }
  }
}

/**
 * Decides the commands of one stream in sequence. Commands that queue up during an append are appended together.
 * See docs/decisions/0002-lanes.md.
 */
export class Lane<S, C, E extends Event> {
  readonly #store: EventStore
  readonly #decider: Decider<S, C, E>
  readonly #stream: string
  readonly #quarantine: Quarantine
  readonly #onIdle: () => void
  readonly #onFirst: OnFirst | undefined
  readonly #reader: StreamReader<S, C, E>
  #cached: StreamState<S> | undefined
  /**
   * Commands before which the lane reads, since a read found events of another process: the cached state is then probably old again,
   * and an append on it costs more than a read.
   */
  #readsFirst = 0
  #pending: Pending<S, C>[] = []
  #busy = false

  constructor({ store, quarantine, snapshots, onIdle, onFirst }: LaneDeps, decider: Decider<S, C, E>, stream: string) {
    this.#store = store
    this.#decider = decider
    this.#stream = stream
    this.#quarantine = quarantine
    this.#onIdle = onIdle
    this.#onFirst = onFirst
    this.#reader = new StreamReader(store, decider, stream, { snapshots, onFirst })
  }

  get idle(): boolean {
    return !this.#busy
  }

  /** Approximate size of the cached state in bytes. */
  get weight(): number {
    return this.#cached ? (this.#decider.weight?.(this.#cached.state) ?? DEFAULT_WEIGHT) : 0
  }

  /**
   * Decides a command and appends the events, in one commit with those of commands to follow on other lanes if the store
   * can and nothing else is decided there. The first one that cannot be stored along, and those after it, are not sent.
   * @throws Rejection, StreamBusy, StreamBroken, UnknownEvent
   */
  decide(command: C, context: CommandContext, following: Following<S> = NONE): Promise<HandledTogether<S>> {
    const begins = this.#decider.begins?.(command) ?? false
    const attributes = { category: this.#decider.category, command: (command as Event | null)?.type ?? 'none' }
    return traced('command', attributes, () => this.#enqueue({ command, context }, begins, following))
  }

  /**
   * Decides a command for an append of another lane. Never waits for a lane, so lanes that join each other cannot deadlock.
   * Undefined if this lane is busy, cannot read its stream, or would append nothing.
   */
  async join(command: C, context: CommandContext): Promise<Joined<S> | undefined> {
    if (this.#busy) return undefined
    this.#busy = true
    const begins = this.#decider.begins?.(command) ?? false
    const known = this.#assumed(begins) ?? (await this.#refresh().catch(() => undefined))?.known
    const decided = known && attempt(() => this.#decide({ command, context }, known)).decided
    if (!decided || decided.events.length === 0) return void this.#drain()
    const { events, after } = decided
    return {
      append: this.#appendOf(known, events),
      stored: ({ position }) => {
        this.#confirm(known, events, { ...after, position })
        return { state: after.state, position, appended: events }
      },
      release: () => void this.#drain(),
    }
  }

  /** Applies an event from the log, if it is the next one after the cached state. Otherwise a conflict makes the lane read. */
  follow(stored: Stored<E>): void {
    const known = this.#cached
    if (this.#busy || !known || stored.revision !== known.revision + 1) return
    const { decided: next } = attempt(() => applyStored(this.#decider, known, stored))
    // The next command reads, and reports what is wrong.
    this.#cached = next && { ...next, position: stored.position }
    this.#readsFirst = 0
  }

  /** Returns the state after all previously sent commands. Appends nothing. */
  read(): Promise<Handled<S>> {
    return this.#enqueue(undefined, false, NONE)
  }

  /** Returns the cached state, which may lack events of other processes. Without one, reads. */
  async peek(): Promise<Handled<S>> {
    return this.#cached ?? this.read()
  }

  #enqueue(order: Pending<S, C>['order'], begins: boolean, following: Following<S>): Promise<HandledTogether<S>> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ order, begins, following, resolve, reject })
      if (!this.#busy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#busy = true
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, MAX_BATCH)
      try {
        await this.#process(batch)
      } catch (error) {
        this.#cached = undefined
        for (const { reject } of batch) reject(error)
      }
    }
    this.#busy = false
    this.#onIdle()
  }

  /** Decides a batch on a state that was just read, or on a cached or expected one that a successful append confirms. */
  async #process(batch: readonly Pending<S, C>[]): Promise<void> {
    let assumed = this.#assumed(batch[0]?.begins ?? false)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++, assumed = undefined) {
      const known = assumed ?? (attempt === 1 ? (await this.#refresh()).known : this.#cached!)
      const { events, answers, after } = this.#decideAll(batch, known)
      if (events.length === 0) {
        // Without an append, nothing confirms that the state is current, so check the log first.
        if (assumed && (await this.#refresh()).changed) continue
        for (const { answer } of answers) answer(known.position)
        return
      }
      try {
        // The second attempt goes alone, because the conflict may be in another stream.
        const { position, followed } = await appendTogether(
          this.#store,
          this.#appendOf(known, events),
          attempt === 1 ? answers : [],
        )
        this.#confirm(known, events, { ...after, position })
        for (const each of answers) each.answer(position, followed.get(each))
        return
      } catch (error) {
        if (!(error instanceof ConcurrencyConflict || error instanceof AppendOutcomeUnknown)) throw error
        await delay(Math.random() * 2 ** Math.min(attempt, 6))
        await this.#refresh()
      }
    }
    throw new StreamBusy(this.#stream)
  }

  /** Returns a state that only an append confirms; undefined if the stream has to be read. */
  #assumed(begins: boolean): StreamState<S> | undefined {
    if (this.#readsFirst > 0) return undefined
    return this.#cached ?? (begins ? this.#reader.empty() : undefined)
  }

  #appendOf({ revision }: StreamState<S>, events: readonly NewEvent[]): StreamAppend {
    return { stream: this.#stream, expected: revision < 0 ? 'no_stream' : revision, events }
  }

  /** Caches the state after events that are now stored. */
  #confirm(before: StreamState<S>, events: readonly NewEvent[], after: StreamState<S>): void {
    this.#cached = after
    if (before.revision < 0) this.#onFirst?.(this.#stream, events[0]!)
    this.#reader.saveIfDue(after)
  }

  #decideAll(batch: readonly Pending<S, C>[], known: StreamState<S>) {
    let after: Folded<S> = known
    const events: NewEvent[] = []
    const answers: { readonly answer: Answer; readonly joins: readonly Join[] }[] = []
    for (const { order, following, resolve, reject } of batch) {
      const result = attempt(() => this.#decide(order, after))
      // A rejection or an error in the decider fails only this command. The caller gets it once the batch is stored.
      if ('error' in result) {
        answers.push({ answer: () => this.#refuse(result.error, reject), joins: [] })
        continue
      }
      const created = result.decided
      events.push(...created.events)
      after = created.after
      const { state } = after
      const appended = created.events.length > 0 && { appended: created.events }
      const answer: Answer = (position, followed) =>
        resolve({ state, position, ...appended, ...(followed && { followed }) })
      answers.push({ answer, joins: appended ? following(state) : [] })
    }
    return { events, answers, after }
  }

  /** Decides a command, creates the events to append, and folds them. @throws UnsoundDecision */
  #decide(order: Pending<S, C>['order'], known: Folded<S>): { events: NewEvent[]; after: Folded<S> } {
    if (!order) return { events: [], after: known }
    const { command, context } = order
    const decided = this.#decider.decide(command, known.state)
    const created = this.#create(decided, known, context)
    assertSound(this.#decider, { command, before: known.state, events: decided, after: created.after.state })
    return created
  }

  /** Fails a command. After a decision that is unsound, the next one reads the stream, which is in quarantine. */
  #refuse(error: unknown, reject: (error: unknown) => void): void {
    if (this.#quarantine.hold(this.#stream, error)) this.#cached = undefined
    reject(error)
  }

  /** Creates the events to append after a state, and folds them. */
  #create(decided: readonly E[], { state, revision, hash }: Folded<S>, context: CommandContext) {
    const events: NewEvent[] = []
    for (const [index, event] of decided.entries()) {
      revision += 1
      const newEvent = this.#toNewEvent(event, index, context, hash)
      if (isHashed(this.#decider))
        hash = eventHash({ ...newEvent, meta: newEvent.meta, stream: this.#stream, revision })
      events.push(newEvent)
      state = this.#decider.evolve(state, event)
    }
    return { events, after: { state, revision, hash } }
  }

  /**
   * Creates an event. Its id covers its content: a store takes an append with the ids of stored events for a repetition,
   * and if another process had stored the command with another time, this lane would cache the wrong state and hash.
   */
  #toNewEvent(event: E, index: number, context: CommandContext, hash: string): NewEvent {
    const { commandId, correlationId, causationId, actor } = context
    const { schemas, hashChained } = this.#decider
    const schema = schemaVersion<E['type']>(schemas, event.type)
    const chain = hashChained ? { previousHash: hash } : {}
    const meta = { correlationId, ...(causationId && { causationId }), actor, schema, ...chain }
    const id = derivedId(commandId, this.#stream, event.type, index, JSON.stringify([event.data, meta]))
    return { id, type: event.type, data: event.data, meta }
  }

  async #refresh(): Promise<{ known: StreamState<S>; changed: boolean }> {
    const before = this.#cached
    const known = await this.#quarantine.guard(this.#stream, () => this.#reader.read(before))
    this.#cached = known
    const changed = known.revision !== before?.revision
    this.#readsFirst = before && changed ? READS_FIRST : Math.max(0, this.#readsFirst - 1)
    return { known, changed }
  }
}
