import { setTimeout as delay } from 'node:timers/promises'
import type { CommandContext, Handled } from './command.ts'
import {
  AppendOutcomeUnknown,
  ConcurrencyConflict,
  type EventStore,
  type GlobalPosition,
  type NewEvent,
} from './eventStore.port.ts'
import type { Decider, Event } from './pure/decider.ts'
import { chainStart, derivedId, eventHash } from './pure/eventHash.ts'

/** Thrown when every attempt to append lost to another writer. The command can be retried. */
export class StreamBusy extends Error {
  override name = 'StreamBusy'
}

interface Pending<S, E> {
  readonly decide: (state: S) => readonly E[]
  /** Undefined for a read, which appends nothing. */
  readonly context: CommandContext | undefined
  readonly resolve: (handled: Handled<S>) => void
  readonly reject: (error: unknown) => void
}

/** Folded state of a stream after the last read or append, with the values that the next append needs. */
interface Snapshot<S> {
  readonly state: S
  readonly revision: number
  readonly position: GlobalPosition | undefined
  /** Hash of the last event; used by hash-chained streams only. */
  readonly hash: string
}

const ATTEMPTS = 20
const MAX_BATCH = 200

function attempt<S, E>(decide: (state: S) => readonly E[], state: S) {
  try {
    return { events: decide(state) }
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
  #cached: Snapshot<S> | undefined
  #pending: Pending<S, E>[] = []
  #busy = false

  constructor(store: EventStore, decider: Decider<S, C, E>, stream: string) {
    this.#store = store
    this.#decider = decider
    this.#stream = stream
  }

  get idle(): boolean {
    return !this.#busy && this.#pending.length === 0
  }

  /** Decides a command and appends the events. @throws Rejection, StreamBusy */
  decide(command: C, context: CommandContext): Promise<Handled<S>> {
    return this.#enqueue((state) => this.#decider.decide(command, state), context)
  }

  /** Returns the state after all previously sent commands. Appends nothing. */
  read(): Promise<Handled<S>> {
    return this.#enqueue(() => [], undefined)
  }

  #enqueue(decide: Pending<S, E>['decide'], context: CommandContext | undefined): Promise<Handled<S>> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ decide, context, resolve, reject })
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
  }

  /** Decides a batch on a state that was just read, or on a cached one that a successful append confirms. */
  async #process(batch: readonly Pending<S, E>[]): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const isCached = this.#cached !== undefined
      const known = this.#cached ?? (await this.#refresh()).known
      const { events, answers, after } = this.#decideAll(batch, known)
      if (events.length === 0) {
        // Without an append, nothing confirms that the cached state is current, so check the log first.
        if (isCached && (await this.#refresh()).changed) continue
        for (const answer of answers) answer(known.position)
        return
      }
      try {
        const { position } = await this.#store.append(
          this.#stream,
          known.revision < 0 ? 'no_stream' : known.revision,
          events,
        )
        this.#cached = { ...after, position }
        for (const answer of answers) answer(position)
        return
      } catch (error) {
        if (!(error instanceof ConcurrencyConflict || error instanceof AppendOutcomeUnknown)) throw error
        await delay(Math.random() * 2 ** Math.min(attempt, 6))
        await this.#refresh()
      }
    }
    throw new StreamBusy(this.#stream)
  }

  #decideAll(batch: readonly Pending<S, E>[], known: Snapshot<S>) {
    let { state, revision, hash } = known
    const events: NewEvent[] = []
    const answers: ((position: GlobalPosition | undefined) => void)[] = []
    for (const { decide, context, resolve, reject } of batch) {
      const decided = attempt(decide, state)
      // A rejection or an error in the decider fails only this command. The caller gets it once the batch is stored.
      if ('error' in decided) {
        answers.push(() => reject(decided.error))
        continue
      }
      decided.events.forEach((event, index) => {
        revision += 1
        const id = derivedId(context!.commandId, this.#stream, event.type, index)
        const newEvent = this.#toNewEvent(event, id, context!, hash)
        if (this.#decider.hashChained) hash = eventHash({ ...newEvent, stream: this.#stream, revision })
        events.push(newEvent)
        state = this.#decider.evolve(state, event)
      })
      const after = state
      answers.push((position) => resolve({ state: after, position }))
    }
    return { events, answers, after: { state, revision, hash } }
  }

  #toNewEvent(event: E, id: string, context: CommandContext, hash: string) {
    const { correlationId, causationId, actor } = context
    const chain = this.#decider.hashChained ? { previousHash: hash } : {}
    const meta = { correlationId, ...(causationId && { causationId }), actor, schema: 1, ...chain }
    return { id, type: event.type, data: event.data, meta }
  }

  /** Applies the events appended since the cached snapshot. */
  async #refresh(): Promise<{ known: Snapshot<S>; changed: boolean }> {
    const before = this.#cached
    let known: Snapshot<S> = before ?? {
      state: this.#decider.initial,
      revision: -1,
      position: undefined,
      hash: chainStart(this.#stream),
    }
    for await (const stored of this.#store.readStream<E>(this.#stream, known.revision + 1)) {
      known = {
        state: this.#decider.evolve(known.state, stored),
        revision: stored.revision,
        position: stored.position,
        hash: this.#decider.hashChained ? eventHash(stored) : known.hash,
      }
    }
    this.#cached = known
    return { known, changed: known.revision !== before?.revision }
  }
}
