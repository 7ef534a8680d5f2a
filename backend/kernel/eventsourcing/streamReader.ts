import type { EventStore, GlobalPosition, NewEvent } from './eventStore.port.ts'
import { applyStored, emptyStream, type Folded } from './pure/applyStored.ts'
import type { Decider, Event } from './pure/decider.ts'
import { eventHash } from './pure/eventHash.ts'
import type { SavedSnapshot, SnapshotStore } from './snapshotStore.port.ts'

/** Folded state of a stream after the last read or append. */
export interface StreamState<S> extends Folded<S> {
  readonly position: GlobalPosition | undefined
}

/** Receives the first event of a stream that was created, or read from its start. */
export type OnFirst = (stream: string, first: Pick<NewEvent, 'id' | 'data' | 'meta'>) => void

/** Number of events after which a stream gets a new snapshot. */
const SNAPSHOT_EVERY = 1_000

/** Reads and verifies a stream, from its snapshot if it has a valid one. See docs/decisions/0014-cost-does-not-grow.md. */
export class StreamReader<S, C, E extends Event> {
  readonly #store: EventStore
  readonly #decider: Decider<S, C, E>
  readonly #stream: string
  readonly #snapshots: SnapshotStore | undefined
  readonly #onFirst: OnFirst | undefined
  #savedRevision = -1

  constructor(
    store: EventStore,
    decider: Decider<S, C, E>,
    stream: string,
    { snapshots, onFirst }: { snapshots?: SnapshotStore | undefined; onFirst?: OnFirst | undefined },
  ) {
    this.#store = store
    this.#decider = decider
    this.#stream = stream
    this.#snapshots = decider.snapshotVersion === undefined ? undefined : snapshots
    this.#onFirst = onFirst
  }

  /** Applies the events after `known`; without it, all events. @throws StreamBroken, UnknownEvent */
  async read(known?: StreamState<S>): Promise<StreamState<S>> {
    const latest = known ? await this.#readOn(known) : ((await this.#readFromSnapshot()) ?? (await this.#readAll()))
    this.saveIfDue(latest)
    return latest
  }

  saveIfDue({ state, revision, hash }: StreamState<S>): void {
    if (!this.#snapshots || revision - this.#savedRevision < SNAPSHOT_EVERY) return
    this.#savedRevision = revision
    this.#snapshots.save(this.#stream, { version: this.#decider.snapshotVersion!, revision, hash, state })
  }

  /** Returns the state of a stream without events. */
  empty(): StreamState<S> {
    return { ...emptyStream(this.#decider, this.#stream), position: undefined }
  }

  #readAll(): Promise<StreamState<S>> {
    this.#savedRevision = -1
    return this.#readOn(this.empty())
  }

  async #readOn(known: StreamState<S>): Promise<StreamState<S>> {
    let latest = known
    for await (const stored of this.#store.readStream<E>(this.#stream, known.revision + 1)) {
      latest = { ...applyStored(this.#decider, latest, stored), position: stored.position }
      if (latest.revision === 0) this.#onFirst?.(this.#stream, stored)
    }
    return latest
  }

  /** Returns undefined if the log does not contain the event of the snapshot, for example because it was restored. */
  async #readFromSnapshot(): Promise<StreamState<S> | undefined> {
    const saved = await this.#snapshots?.load(this.#stream)
    if (!saved || saved.version !== this.#decider.snapshotVersion) return undefined
    let latest: StreamState<S> | undefined
    for await (const stored of this.#store.readStream<E>(this.#stream, saved.revision)) {
      if (latest) latest = { ...applyStored(this.#decider, latest, stored), position: stored.position }
      else if (eventHash(stored) === saved.hash) latest = stateOf(saved, stored.position)
      else return undefined
    }
    if (latest) this.#savedRevision = saved.revision
    return latest
  }
}

const stateOf = <S>({ state, revision, hash }: SavedSnapshot, position: GlobalPosition): StreamState<S> => ({
  state: state as S,
  revision,
  hash,
  position,
})
