import type { TaskInvariants } from './tasks.ts'
import { Violation } from './violation.ts'

/** Age at which a task must have been started while nothing is broken, ms. */
const MAX_AGE_MS = 10_000

/** Workflows start soon, whatever the server takes for each, and those of paying users first. */
export class StartInvariants {
  readonly #tasks: TaskInvariants
  readonly #now: () => number
  readonly #started = new Set<string>()
  /** Whether no fault can delay a start. */
  isCalm = false

  constructor(tasks: TaskInvariants, now: () => number) {
    this.#tasks = tasks
    this.#now = now
  }

  start(id: string): void {
    const task = this.#tasks.tasks.get(id)
    if (!task || this.#started.has(id)) return
    this.#started.add(id)
    const age = this.#now() - task.submittedAt
    if (this.isCalm && age > MAX_AGE_MS)
      throw new Violation('workflows start soon', `${id} was started after ${(age / 1000).toFixed(1)} s`)
  }
}
