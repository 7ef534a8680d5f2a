import type { GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { chainStart } from '../kernel/eventsourcing/pure/eventHash.ts'
import { type Deviations, missingPlace, type Place, placeOf } from './deviation.ts'

/** The last event of a stream. */
export interface Head {
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly hash: string
}

/** Heads recorded outside the log, and the name of the record. */
export interface RememberedHeads {
  readonly by: string
  readonly heads: ReadonlyMap<string, Head>
}

/** The last event seen in a stream, and the state of its chain. One object a stream: audits see millions of events. */
interface Tip {
  readonly stream: string
  revision: number
  id: string
  position: GlobalPosition
  hash: string
  /** The preceding event, if this one does not carry its hash. */
  unlinkedFrom: Place | undefined
  /** Whether the preceding event matches its recorded hash and is therefore unchanged. */
  isPrecedingSound: boolean
  /** Whether the broken link has been reported. */
  isReported: boolean
  readonly remembered: readonly (Head & { readonly by: string })[]
}

/**
 * Verifies every stream's hash chain: revisions have no gaps, and each event contains the hash of the preceding one.
 *
 * A single broken link implicates the event before it. Two consecutive broken links implicate the event between them:
 * the hash that it contains is wrong, and its own hash differs from the one in the next event.
 */
export class HashChains {
  readonly #tips = new Map<string, Tip>()
  readonly #remembered: readonly RememberedHeads[]
  readonly #deviations: Deviations

  constructor(deviations: Deviations, remembered: readonly RememberedHeads[]) {
    this.#deviations = deviations
    this.#remembered = remembered
  }

  get streams(): number {
    return this.#tips.size
  }

  /** Adds the next event of the log and its hash. */
  take(event: Stored, hash: string): void {
    const { stream, revision, id, position } = event
    const before = this.#tips.get(stream)
    const isInTurn = revision === (before ? before.revision + 1 : 0)
    if (!isInTurn) this.#outOfTurn(event, before)
    const follows = !isInTurn || event.meta.previousHash === (before?.hash ?? chainStart(stream))
    let isReported = false
    if (!follows && !before)
      this.#deviations.add('chain', event, 'The first event does not carry the hash that its stream begins with.')
    if (!follows && before?.unlinkedFrom) {
      this.#deviations.add(
        'chain',
        before,
        'It neither carries the hash of the event before it nor has the one that the event after it carries.',
      )
      isReported = true
    }
    if (!before) {
      const remembered = this.#remember(stream)
      this.#compare(event, hash, remembered)
      const intact = { unlinkedFrom: undefined, isPrecedingSound: false, isReported: false }
      this.#tips.set(stream, { stream, revision, id, position, hash, remembered, ...intact })
      return
    }
    if (follows) this.#settle(before)
    this.#compare(event, hash, before.remembered)
    before.isPrecedingSound = before.remembered.some(
      (head) => before.revision === head.revision && before.hash === head.hash,
    )
    before.unlinkedFrom = follows ? undefined : placeOf(before)
    before.isReported = isReported
    // An event out of order must not lower the expected revision.
    before.revision = Math.max(revision, before.revision)
    before.id = id
    before.position = position
    before.hash = hash
  }

  /** Reports faults that are detectable only at the end of a chain. Call it after the last event. */
  end(): void {
    for (const tip of this.#tips.values()) {
      this.#settle(tip, ' Or the hash in the event after it was: nothing later tells the two apart.')
      for (const { revision, id, by } of tip.remembered)
        if (revision > tip.revision)
          this.#deviations.add(
            'chain',
            missingPlace({ stream: tip.stream, revision, id }),
            `${by} remembers this event as the stream's last; the stream ends at revision ${tip.revision}.`,
          )
    }
    for (const { by, heads } of this.#remembered)
      for (const { stream, revision, id } of heads.values())
        if (!this.#tips.has(stream))
          this.#deviations.add(
            'chain',
            missingPlace({ stream, revision, id }),
            `${by} remembers this event; its stream is gone.`,
          )
  }

  /** Yields every stream's last event, in order of the streams' first events. */
  *heads(): Generator<Head> {
    for (const { stream, revision, id, hash } of this.#tips.values()) yield { stream, revision, id, hash }
  }

  #remember(stream: string): Tip['remembered'] {
    return this.#remembered.flatMap(({ by, heads }) => {
      const head = heads.get(stream)
      return head ? [{ ...head, by }] : []
    })
  }

  #compare(event: Stored, hash: string, remembered: Tip['remembered']): void {
    for (const head of remembered)
      if (head.revision === event.revision && head.hash !== hash)
        this.#deviations.add('chain', event, `${head.by} remembers another hash of this event: it was changed.`)
  }

  #outOfTurn(event: Stored, before: Tip | undefined): void {
    const { stream, revision } = event
    const next = before ? before.revision + 1 : 0
    if (before) this.#settle(before)
    if (revision < next)
      this.#deviations.add('chain', event, `Its revision is ${revision}, but it follows ${next - 1}.`)
    for (let gone = next; gone < Math.min(revision, next + 100); gone++)
      this.#deviations.add(
        'chain',
        missingPlace({ stream, revision: gone }),
        `The event is missing: ${revision} comes next.`,
      )
  }

  /**
   * Reports a single broken link as a fault of the preceding event, or of this one if that matches its recorded hash.
   */
  #settle(tip: Tip, doubt = ''): void {
    const { unlinkedFrom, isPrecedingSound, isReported } = tip
    if (!unlinkedFrom || isReported) return
    if (isPrecedingSound) this.#deviations.add('chain', tip, 'It does not carry the hash of the event before it.')
    else {
      const wrong = `Its hash is not the one that the event after it carries: it was changed.${doubt}`
      this.#deviations.add('chain', unlinkedFrom, wrong)
    }
  }
}
