interface Waiting {
  readonly priority: number
  /** Round in which the call is served. Each owner gets one slot per round. */
  readonly turn: number
  readonly go: () => void
}

/** A concurrency limit. Waiting calls are served by priority, then round-robin by owner, then first in, first out. */
export class Pool {
  #used = 0
  readonly #slots: () => number
  #waiting: Waiting[] = []
  readonly #turns = new Map<string, number>()

  /** @param slots may change: waiting calls start at the next end of another one */
  constructor(slots: number | (() => number)) {
    this.#slots = typeof slots === 'number' ? () => slots : slots
  }

  /** @param options `atOnce`: takes a slot although none is free; waiting calls wait until there are no more than there are slots */
  async run<T>(
    { priority = 3, owner = '', atOnce = false }: { priority?: number; owner?: string; atOnce?: boolean },
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.#used < this.#slots() || atOnce) this.#used++
    else await this.#turnComes(priority, owner)
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  #turnComes(priority: number, owner: string): Promise<void> {
    const current = this.#waiting.reduce((least, { turn }) => Math.min(least, turn), Number.POSITIVE_INFINITY)
    const turn = Math.max((this.#turns.get(owner) ?? -1) + 1, Number.isFinite(current) ? current : 0)
    this.#turns.set(owner, turn)
    return new Promise((go) => {
      const place = this.#waiting.findIndex((w) => w.priority > priority || (w.priority === priority && w.turn > turn))
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, { priority, turn, go })
    })
  }

  #passOn(): void {
    this.#used--
    while (this.#waiting.length > 0 && this.#used < this.#slots()) {
      this.#used++
      this.#waiting.shift()!.go()
    }
    if (this.#waiting.length === 0) this.#turns.clear()
  }
}
