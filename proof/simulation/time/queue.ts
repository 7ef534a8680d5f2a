interface Entry {
  readonly at: number
  readonly order: number
}

/** A priority queue by time, then by insertion. A binary heap. */
export class TimeQueue<T extends Entry> {
  readonly #heap: T[] = []

  get size(): number {
    return this.#heap.length
  }

  peek(): T | undefined {
    return this.#heap[0]
  }

  push(entry: T): void {
    const heap = this.#heap
    let place = heap.push(entry) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(entry, heap[parent]!)) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = entry
  }

  pop(): T | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = last
    return first
  }
}

const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order)
