interface Cacheable {
  readonly idle: boolean
  /** Approximate size in bytes. */
  readonly weight: number
}

/** Bytes of an entry besides its weight. */
const OVERHEAD = 1_000

/**
 * Keeps the most recently used lanes of one category within a budget of bytes. Categories have separate budgets:
 * otherwise the streams of tasks, which are written once and never again, would evict the accounts.
 */
export class LaneCache<L extends Cacheable> {
  readonly #budget: number
  /** In order of use. */
  readonly #lanes = new Map<string, { readonly lane: L; bytes: number }>()
  #bytes = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** Returns the lane of a stream, created if it is missing. */
  get(stream: string, create: () => L): L {
    const cached = this.#lanes.get(stream) ?? { lane: create(), bytes: 0 }
    this.#lanes.delete(stream)
    this.#lanes.set(stream, cached)
    return cached.lane
  }

  /** Returns the lane of a stream if there is one. Does not count as a use. */
  find(stream: string): L | undefined {
    return this.#lanes.get(stream)?.lane
  }

  /** Weighs a lane that has become idle, and evicts the least recently used ones if the budget is exceeded. */
  weigh(stream: string): void {
    const cached = this.#lanes.get(stream)
    if (!cached) return
    const bytes = OVERHEAD + cached.lane.weight
    this.#bytes += bytes - cached.bytes
    cached.bytes = bytes
    if (this.#bytes > this.#budget) this.#evict()
  }

  /** Evicts a tenth at once: each walk over the map passes the entries that were deleted since it was last compacted. */
  #evict(): void {
    for (const [stream, { lane, bytes }] of this.#lanes) {
      if (this.#bytes <= this.#budget * 0.9) return
      if (!lane.idle) continue
      this.#lanes.delete(stream)
      this.#bytes -= bytes
    }
  }
}
