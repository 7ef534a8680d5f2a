/** Films in work from which no other film is started: as many as take their posters with one start of ffmpeg. */
const MAX_FINISHING = 8

/**
 * Counts the downloaded films that this worker marks and stores, so that it finishes films before it starts others. Otherwise
 * films that cost more than the cores can do all wait at their end, when their owners expect them.
 */
export class Finishing {
  #films = 0
  readonly #waiting = new Set<() => void>()

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#films++
    try {
      return await work()
    } finally {
      this.#films--
      for (const wake of this.#waiting) wake()
    }
  }

  /** Waits until few films are left to finish. Resolves early when the signal aborts. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#films >= MAX_FINISHING && !signal.aborted)
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        this.#waiting.add(done)
        signal.addEventListener('abort', done)
      })
  }
}
