import type { Stored } from '../../kernel/eventsourcing/eventStore.port.ts'
import { type Deviations, missingPlace } from '../deviation.ts'
import type { SignedTree } from './ledgerHead.ts'
import { MerkleLog } from './merkleLog.ts'

/** Heads that include the same categories, in log order, and the tree that they must have. */
interface Series {
  readonly prefixes: readonly string[]
  readonly tree: MerkleLog
  readonly waiting: SignedTree[]
  confirmed: SignedTree | undefined
}

/** Checks that the log begins with the events that each head signed, in the same order. */
export class HeadProofs {
  readonly #series: readonly Series[]
  readonly #deviations: Deviations

  constructor(deviations: Deviations, heads: readonly SignedTree[]) {
    const ordered = heads.toSorted((a, b) => (a.position < b.position ? -1 : 1))
    const groups = Map.groupBy(ordered, ({ categories }) => categories.join())
    this.#series = [...groups.values()].map((waiting) => ({
      prefixes: (waiting[0]?.categories ?? []).map((category) => `${category}-`),
      tree: new MerkleLog(),
      waiting,
      confirmed: undefined,
    }))
    this.#deviations = deviations
  }

  /** Adds the next event of the log and its hash. */
  take({ stream, position }: Stored, hash: string): void {
    for (const series of this.#series) {
      for (let [head] = series.waiting; head && position > head.position; [head] = series.waiting)
        this.#check(series, head)
      if (series.waiting[0] && series.prefixes.some((prefix) => stream.startsWith(prefix))) series.tree.add(hash)
    }
  }

  /** Checks the heads after the last event. */
  end(): void {
    for (const series of this.#series)
      for (let [head] = series.waiting; head; [head] = series.waiting) this.#check(series, head)
  }

  /** Compares the tree with the next head. After a difference, every later head differs too and is not reported. */
  #check(series: Series, head: SignedTree): void {
    series.waiting.shift()
    const { size, root } = series.tree
    if (size === head.size && root === head.root) {
      series.confirmed = head
      return
    }
    series.waiting.length = 0
    const since = series.confirmed ? `after the head of ${series.confirmed.createdAt}` : 'before it'
    const wrong = `The log up to here is not the one that the head of ${head.createdAt} signed: an event was changed, moved, added or removed ${since}.`
    this.#deviations.add('head', missingPlace({ position: head.position }), wrong)
  }
}
