import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { chainStart } from '../kernel/eventsourcing/pure/eventHash.ts'
import { type Deviations, missingPlace, type Place, placeOf } from './deviation.ts'

/** The last event of a stream, as somebody remembered it. */
export interface Head {
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly hash: string
}

/** Heads that were written down elsewhere, and where. */
export interface RememberedHeads {
  readonly by: string
  readonly heads: ReadonlyMap<string, Head>
}

/** The last event seen of a stream. */
interface Tip extends Place {
  readonly stream: string
  readonly revision: number
  readonly hash: string
  /** Set: the event does not carry the hash of this one, which stands before it. */
  readonly unlinkedFrom: Place | undefined
  /** The event before it has the hash that was remembered: it is not to blame. */
  readonly blameless: boolean
  /** The broken link was laid to an event already. */
  readonly named: boolean
  readonly remembered: readonly (Head & { readonly by: string })[]
}

/**
 * Follows every stream's chain: revisions without a gap, and in each event the hash of the one before it.
 *
 * One broken link means that the event before it was changed. Two in a row mean the one between them: it neither carries
 * the right hash nor has the one that is carried after it.
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

  /** Takes the next event of the log and its hash. */
  take(event: Stored, hash: string): void {
    const { stream, revision, id, position } = event
    const before = this.#tips.get(stream)
    const inTurn = revision === (before ? before.revision + 1 : 0)
    if (!inTurn) this.#outOfTurn(event, before)
    const isLinked = !inTurn || event.meta.previousHash === (before?.hash ?? chainStart(stream))
    let named = false
    if (!isLinked && !before)
      this.#deviations.add('chain', event, 'The first event does not carry the hash that its stream begins with.')
    if (!isLinked && before?.unlinkedFrom) {
      this.#deviations.add(
        'chain',
        before,
        'It neither carries the hash of the event before it nor has the one that the event after it carries.',
      )
      named = true
    }
    if (isLinked && before) this.#settle(before)
    const remembered = before?.remembered ?? this.#remember(stream)
    this.#compare(event, hash, remembered)
    this.#tips.set(stream, {
      stream,
      // An event that stands behind a later one does not turn the count back.
      revision: Math.max(revision, before?.revision ?? 0),
      id,
      position,
      hash,
      unlinkedFrom: isLinked || !before ? undefined : placeOf(before),
      blameless:
        before !== undefined &&
        remembered.some(({ revision, hash }) => before.revision === revision && before.hash === hash),
      named,
      remembered,
    })
  }

  /** Once the log has been read: what shows only at the end of a chain. */
  end(): void {
    for (const tip of this.#tips.values()) {
      this.#settle(tip, ' Or the hash in the event after it was: nothing later tells the two apart.')
      for (const { revision, id, by } of tip.remembered)
        if (revision > tip.revision)
          this.#deviations.add(
            'chain',
            { ...missingPlace(tip.stream, revision), id },
            `${by} remembers this event as the stream's last; the stream ends at revision ${tip.revision}.`,
          )
    }
    for (const { by, heads } of this.#remembered)
      for (const { stream, revision, id } of heads.values())
        if (!this.#tips.has(stream))
          this.#deviations.add(
            'chain',
            { ...missingPlace(stream, revision), id },
            `${by} remembers this event; its stream is gone.`,
          )
  }

  /** Every stream's last event, in the order in which the streams began. */
  *heads(): Generator<Head> {
    for (const { stream, revision, id, hash } of this.#tips.values()) yield { stream, revision, id: id!, hash }
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
      this.#deviations.add('chain', event, `Its revision is ${revision}, but it stands after ${next - 1}.`)
    for (let gone = next; gone < Math.min(revision, next + 100); gone++)
      this.#deviations.add('chain', missingPlace(stream, gone), `The event is missing: ${revision} comes next.`)
  }

  /** Lays a single broken link to the event before it, or to the one that does not carry the hash that is vouched for. */
  #settle(tip: Tip, doubt = ''): void {
    const { unlinkedFrom, blameless, named } = tip
    if (!unlinkedFrom || named) return
    if (blameless) this.#deviations.add('chain', tip, 'It does not carry the hash of the event before it.')
    else {
      const wrong = `Its hash is not the one that the event after it carries: it was changed.${doubt}`
      this.#deviations.add('chain', unlinkedFrom, wrong)
    }
  }
}
