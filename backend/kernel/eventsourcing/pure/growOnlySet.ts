/**
 * An immutable set without removal. `add` returns a new version in constant time, so a state that remembers every id
 * can be folded without copying the set for each event.
 * @example GrowOnlySet.empty.add('a').has('a') // true
 */
export class GrowOnlySet {
  readonly size: number
  readonly #places: Map<string, number>

  private constructor(places: Map<string, number>, size: number) {
    this.#places = places
    this.size = size
  }

  static readonly empty = new GrowOnlySet(new Map(), 0)

  has(id: string): boolean {
    return (this.#places.get(id) ?? Number.POSITIVE_INFINITY) < this.size
  }

  add(id: string): GrowOnlySet {
    if (this.has(id)) return this
    // Versions share one map. Only adding to an older version copies its entries.
    const shared = this.size > 0 && this.#places.size === this.size
    const places = shared ? this.#places : new Map([...this.#places].filter(([, place]) => place < this.size))
    return new GrowOnlySet(places.set(id, this.size), this.size + 1)
  }
}
