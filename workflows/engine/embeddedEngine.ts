import { setImmediate as nextTurn } from 'node:timers/promises'
import { Pool } from '#backend/kernel/pool.ts'
import {
  type Activities,
  type ActivityPolicy,
  type Engine,
  type NoInput,
  type Policies,
  type StartOptions,
  type Workflow,
  type WorkflowContext,
  workflowId,
} from './engine.port.ts'

/** Longest delay that `setTimeout` supports: 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Returns a promise that never settles. A shared one would keep every body that awaits it in memory. */
const never = () => new Promise<never>(() => {})

/** Timers that a stop cancels together. Each one listening to an abort signal would search the listeners of all others. */
class Timers {
  readonly #running = new Set<NodeJS.Timeout>()
  #stopped = false

  /** Calls `done` after `ms` milliseconds or 24.8 days, and never after a stop. Returns a function that cancels this. */
  start(ms: number, done: () => void): () => void {
    if (this.#stopped) return () => {}
    const timer = setTimeout(
      () => {
        cancel()
        done()
      },
      Math.min(ms, MAX_TIMER_MS),
    )
    const cancel = () => {
      clearTimeout(timer)
      this.#running.delete(timer)
    }
    this.#running.add(timer)
    return cancel
  }

  stop(): void {
    this.#stopped = true
    for (const timer of this.#running) clearTimeout(timer)
    this.#running.clear()
  }
}

/** A run in progress, with its result and its unconsumed signals. */
class Run {
  readonly result = Promise.withResolvers<unknown>()
  readonly #raised = new Set<string>()
  readonly #waiting = new Map<string, () => void>()

  raise(name: string): void {
    this.#raised.add(name)
    this.#waiting.get(name)?.()
  }

  async signalled(name: string, ms: number, timers: Timers): Promise<boolean> {
    if (!this.#raised.has(name)) {
      await new Promise<void>((resolve) => {
        const cancel = timers.start(ms, resolve)
        this.#waiting.set(name, () => {
          cancel()
          resolve()
        })
      })
      this.#waiting.delete(name)
    }
    return this.#raised.delete(name)
  }
}

export interface EmbeddedEngineOptions {
  readonly activities: Activities
  readonly policies: Policies
  /** Maximum number of concurrent activities, by pool. Pools that are not listed are unlimited. */
  readonly slots?: Readonly<Record<string, number | (() => number)>>
  readonly onError: (error: unknown, activity: string) => void
}

/**
 * Runs workflows in this process and stores nothing: the event log is the journal. Activities are idempotent against
 * the log, so after a crash the triggers restart each unfinished workflow, which skips its completed steps. See
 * docs/decisions/0003-log-is-the-journal.md.
 */
export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedEngineOptions
  readonly #runs = new Map<string, Run>()
  readonly #schedules = new Set<string>()
  readonly #timers = new Timers()
  #stopped = false
  readonly #pools = new Map<string, Pool>()
  /** Attempts in progress. */
  readonly #active = new Map<Promise<unknown>, AbortController>()

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
  }

  async start<I>(workflow: Workflow<never, I, unknown>, input: NoInfer<I>, options: StartOptions = {}): Promise<void> {
    const id = workflowId(workflow, input)
    // A run that has waited for the last time ends within this turn of the event loop, and would miss a signal.
    if (this.#runs.has(id)) await nextTurn()
    if (this.#runs.has(id) || this.#stopped) return
    const run = new Run()
    run.result.promise.catch((error) => this.#options.onError(error, workflow.type))
    this.#runs.set(id, run)
    workflow
      .run(this.#context(run, options), input)
      .finally(() => this.#runs.delete(id))
      .then(run.result.resolve, run.result.reject)
  }

  async signal<Key>(workflow: Workflow<never, never, unknown, Key>, input: NoInfer<Key>, name: string): Promise<void> {
    this.#runs.get(workflowId(workflow, input))?.raise(name)
  }

  async schedule(workflow: Workflow<never, NoInput, unknown>, everyMs: number): Promise<void> {
    if (this.#schedules.has(workflow.type)) return
    this.#schedules.add(workflow.type)
    const repeat = async () => {
      for (;;) {
        await this.#sleep(everyMs)
        await this.start(workflow, {})
      }
    }
    void repeat()
  }

  async result<O, Key>(workflow: Workflow<never, never, O, Key>, input: NoInfer<Key>): Promise<O | undefined> {
    return this.#runs.get(workflowId(workflow, input))?.result.promise as Promise<O> | undefined
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timers.stop()
    for (const attempt of this.#active.values()) attempt.abort()
    await Promise.allSettled(this.#active.keys())
  }

  #context(run: Run, options: StartOptions): WorkflowContext<never> {
    return {
      now: async () => Date.now(),
      sleep: (ms) => this.#sleep(ms),
      signalled: (name, ms) => run.signalled(name, ms, this.#timers),
      activities: new Proxy<never>({} as never, {
        get: (_, name: string) => (input: never) => this.#call(name, input, options),
      }),
    }
  }

  async #call(name: string, input: never, options: StartOptions): Promise<unknown> {
    const policy = this.#options.policies[name]
    if (!policy) throw new Error(`no policy for activity ${name}`)
    for (let attempt = 1; ; attempt++) {
      try {
        const turn = { ...options, atOnce: options.resumed ?? false }
        const result = await this.#pool(policy.pool).run(turn, () => this.#attempt(name, input, policy))
        return this.#stopped ? await never() : result
      } catch (error) {
        if (this.#stopped) return never()
        this.#options.onError(error, name)
        if (attempt === policy.attempts) throw error
        await this.#sleep(Math.min(policy.firstRetryMs * 2 ** (attempt - 1), policy.maxRetryMs))
      }
    }
  }

  async #attempt(name: string, input: never, policy: ActivityPolicy): Promise<unknown> {
    if (this.#stopped) return never()
    const attempt = new AbortController()
    // The timeout must also end the attempt of an activity that ignores its signal.
    const timedOut = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      attempt.abort(new Error(`activity ${name} timed out`))
      timedOut.reject(attempt.signal.reason)
    }, policy.timeoutMs).unref()
    const work = this.#options.activities[name]!(input, { signal: attempt.signal })
    this.#active.set(work, attempt)
    const settled = () => void this.#active.delete(work)
    work.then(settled, settled)
    try {
      return await Promise.race([work, timedOut.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sleeps for `ms` milliseconds, which may exceed the limit of `setTimeout`. Never settles after a stop. */
  async #sleep(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= MAX_TIMER_MS)
      await new Promise<void>((resolve) => this.#timers.start(left, resolve))
  }

  #pool(name: string): Pool {
    const known = this.#pools.get(name)
    if (known) return known
    const pool = new Pool(this.#options.slots?.[name] ?? Number.POSITIVE_INFINITY)
    this.#pools.set(name, pool)
    return pool
  }
}
