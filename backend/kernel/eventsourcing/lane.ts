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

/** Other writers were faster each time. The command may be sent again. */
export class StreamBusy extends Error {
  override name = 'StreamBusy'
}

interface Waiting<S, E> {
  readonly decide: (state: S) => readonly E[]
  /** Left out by a read, which appends nothing. */
  readonly context: CommandContext | undefined
  readonly resolve: (handled: Handled<S>) => void
  readonly reject: (error: unknown) => void
}

/** A stream as it was last known: its folded state, and what the next append builds on. */
interface Known<S> {
  readonly state: S
  readonly revision: number
  readonly position: GlobalPosition | undefined
  /** Hash of the last event, for chained streams. */
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

/** The commands of one stream, decided in turn; those that wait together are appended together. */
export class Lane<S, C, E extends Event> {
  readonly #store: EventStore
  readonly #decider: Decider<S, C, E>
  readonly #stream: string
  #known: Known<S> | undefined
  #waiting: Waiting<S, E>[] = []
  #busy = false

  constructor(store: EventStore, decider: Decider<S, C, E>, stream: string) {
    this.#store = store
    this.#decider = decider
    this.#stream = stream
  }

  get idle(): boolean {
    return !this.#busy && this.#waiting.length === 0
  }

  /** Decides a command and appends the events. @throws Rejection, StreamBusy */
  decide(command: C, context: CommandContext): Promise<Handled<S>> {
    return this.#enqueue((state) => this.#decider.decide(command, state), context)
  }

  /** Returns the current state after every command that was sent before. Appends nothing. */
  read(): Promise<Handled<S>> {
    return this.#enqueue(() => [], undefined)
  }

  #enqueue(decide: Waiting<S, E>['decide'], context: CommandContext | undefined): Promise<Handled<S>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ decide, context, resolve, reject })
      if (!this.#busy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#busy = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH)
      try {
        await this.#settle(batch)
      } catch (error) {
        this.#known = undefined
        for (const { reject } of batch) reject(error)
      }
    }
    this.#busy = false
  }

  /** Decides a batch against the truth: a state that an append has just confirmed, or that was just read. */
  async #settle(batch: readonly Waiting<S, E>[]): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const cached = this.#known !== undefined
      const known = this.#known ?? (await this.#refresh()).known
      const { events, answers, after } = this.#decideAll(batch, known)
      if (events.length === 0) {
        // Nothing to append confirms nothing: what the cache refuses or takes for done, the log may see otherwise.
        if (cached && (await this.#refresh()).changed) continue
        answers.forEach((answer) => {
          answer(known.position)
        })
        return
      }
      try {
        const { position } = await this.#store.append(
          this.#stream,
          known.revision < 0 ? 'no_stream' : known.revision,
          events,
        )
        this.#known = { ...after, position }
        answers.forEach((answer) => {
          answer(position)
        })
        return
      } catch (error) {
        if (!(error instanceof ConcurrencyConflict || error instanceof AppendOutcomeUnknown)) throw error
        await delay(Math.random() * 2 ** Math.min(attempt, 6))
        await this.#refresh()
      }
    }
    throw new StreamBusy(this.#stream)
  }

  #decideAll(batch: readonly Waiting<S, E>[], known: Known<S>) {
    let { state, revision, hash } = known
    const events: NewEvent[] = []
    const answers: ((position: GlobalPosition | undefined) => void)[] = []
    for (const { decide, context, resolve, reject } of batch) {
      const decided = attempt(decide, state)
      // A refusal, or a fault of the decider: it is this command's alone, and said when the rest is stored.
      if ('error' in decided) {
        answers.push(() => reject(decided.error))
        continue
      }
      decided.events.forEach((event, index) => {
        revision += 1
        const id = derivedId(context!.commandId, this.#stream, event.type, index)
        const stored = this.#dressed(event, id, context!, hash)
        if (this.#decider.hashChained) hash = eventHash({ ...stored, stream: this.#stream, revision })
        events.push(stored)
        state = this.#decider.evolve(state, event)
      })
      const after = state
      answers.push((position) => resolve({ state: after, position }))
    }
    return { events, answers, after: { state, revision, hash } }
  }

  #dressed(event: E, id: string, context: CommandContext, hash: string) {
    const { correlationId, causationId, actor } = context
    const chain = this.#decider.hashChained ? { previousHash: hash } : {}
    const meta = { correlationId, ...(causationId && { causationId }), actor, schema: 1, ...chain }
    return { id, type: event.type, data: event.data, meta }
  }

  /** Reads what was appended since, and says whether there was anything. */
  async #refresh(): Promise<{ known: Known<S>; changed: boolean }> {
    const before = this.#known
    let known: Known<S> = before ?? {
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
    this.#known = known
    return { known, changed: known.revision !== before?.revision }
  }
}
