import type { Starter } from './engine.port.ts'

/** A call to the engine that starts or wakes a workflow. It is repeated until it succeeds, so it must be idempotent. */
export interface Start {
  /** Starts of one entity run one after another, in the order of their addition. */
  readonly entity: string
  /** From 1 (first) to 5 (last). Starts of equal priority begin in the order of their addition. */
  readonly priority: number
  run(engine: Starter): Promise<unknown>
}

export interface StartsOptions {
  readonly engine: Starter
  /** Maximum number of starts in flight. */
  readonly inFlight: number
  /** Starts to run while no other one is ready. */
  readonly background: Iterator<Start>
  /** Waits before failed starts are repeated. */
  readonly pause: () => Promise<void>
  /** Reports the latest error, and the number of starts that will be repeated. */
  readonly onError: (error: unknown, failed: number) => void
}

const PRIORITIES = 5

/** Runs starts in parallel, by priority, and in order per entity. A failed start delays only its own entity. */
export class Starts {
  readonly #options: StartsOptions
  /** The unfinished starts of each entity. Only the first one of an entity is ready, running or failed. */
  readonly #byEntity = new Map<string, Start[]>()
  readonly #ready: Start[][] = Array.from({ length: PRIORITIES + 1 }, () => [])
  readonly #running = new Set<Promise<void>>()
  #failed: Start[] = []
  #stopped = false
  #onRoom: (() => void) | undefined

  constructor(options: StartsOptions) {
    this.#options = options
    this.#fill()
  }

  add(start: Start): void {
    this.#enqueue(start)
    this.#fill()
  }

  /** Waits until fewer than `limit` entities have unfinished starts. */
  async room(limit: number): Promise<void> {
    while (this.#byEntity.size >= limit && !this.#stopped)
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve
      })
  }

  /** Begins no further starts, and waits for those in flight. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#onRoom?.()
    await Promise.all(this.#running)
  }

  #enqueue(start: Start): void {
    const ahead = this.#byEntity.get(start.entity)
    if (ahead) ahead.push(start)
    else {
      this.#byEntity.set(start.entity, [start])
      this.#ready[start.priority]!.push(start)
    }
  }

  #fill(): void {
    while (!this.#stopped && this.#running.size < this.#options.inFlight) {
      const start = this.#take()
      if (!start) return
      const running = this.#run(start).finally(() => {
        this.#running.delete(running)
        this.#onRoom?.()
        this.#fill()
      })
      this.#running.add(running)
    }
  }

  #take(): Start | undefined {
    for (;;) {
      const ready = this.#ready.find((starts) => starts.length > 0)
      if (ready) return ready.shift()
      const next = this.#options.background.next()
      if (next.done) return undefined
      this.#enqueue(next.value)
    }
  }

  async #run(start: Start): Promise<void> {
    try {
      await start.run(this.#options.engine)
    } catch (error) {
      if (!this.#stopped) this.#repeatLater(start, error)
      return
    }
    const [, ...behind] = this.#byEntity.get(start.entity) ?? []
    this.#byEntity.delete(start.entity)
    for (const next of behind) this.#enqueue(next)
  }

  /** Starts that fail in the same second are repeated and reported together: an outage fails all of them. */
  #repeatLater(start: Start, error: unknown): void {
    this.#failed.push(start)
    if (this.#failed.length > 1) return
    void this.#options.pause().then(() => {
      const failed = this.#failed
      this.#failed = []
      if (this.#stopped) return
      this.#options.onError(error, failed.length)
      for (const start of failed) this.#ready[start.priority]!.push(start)
      this.#fill()
    })
  }
}
