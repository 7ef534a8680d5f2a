import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
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

/** Sleeps for `ms` milliseconds, which may exceed the limit of `setTimeout`. Never settles after an abort. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= MAX_TIMER_MS)
    await delay(Math.min(left, MAX_TIMER_MS), undefined, { signal }).catch(never)
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

  async signalled(name: string, ms: number, stop: AbortSignal): Promise<boolean> {
    if (!this.#raised.has(name)) {
      const done = new AbortController()
      const raised = new Promise<void>((resolve) => this.#waiting.set(name, resolve))
      await Promise.race([raised, sleep(ms, AbortSignal.any([stop, done.signal]))])
      done.abort()
      this.#waiting.delete(name)
    }
    return this.#raised.delete(name)
  }
}

export interface EmbeddedEngineOptions {
  readonly activities: Activities
  readonly policies: Policies
  /** Maximum number of concurrent activities, by pool. Pools that are not listed are unlimited. */
  readonly slots?: Readonly<Record<string, number>>
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
  readonly #stop = new AbortController()
  readonly #pools = new Map<string, Pool>()
  readonly #active = new Set<Promise<unknown>>()

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
  }

  async start<I>(workflow: Workflow<never, I, unknown>, input: NoInfer<I>, options: StartOptions = {}): Promise<void> {
    const id = workflowId(workflow, input)
    // A run that has waited for the last time ends within this turn of the event loop, and would miss a signal.
    if (this.#runs.has(id)) await nextTurn()
    if (this.#runs.has(id) || this.#stop.signal.aborted) return
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
        await sleep(everyMs, this.#stop.signal)
        await this.start(workflow, {})
      }
    }
    void repeat()
  }

  async result<O, Key>(workflow: Workflow<never, never, O, Key>, input: NoInfer<Key>): Promise<O | undefined> {
    return this.#runs.get(workflowId(workflow, input))?.result.promise as Promise<O> | undefined
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled(this.#active)
  }

  #context(run: Run, options: StartOptions): WorkflowContext<never> {
    const stop = this.#stop.signal
    return {
      now: async () => Date.now(),
      sleep: (ms) => sleep(ms, stop),
      signalled: (name, ms) => run.signalled(name, ms, stop),
      activities: new Proxy<never>({} as never, {
        get: (_, name: string) => (input: never) => this.#call(name, input, options),
      }),
    }
  }

  async #call(name: string, input: never, options: StartOptions): Promise<unknown> {
    const policy = this.#options.policies[name]
    if (!policy) throw new Error(`no policy for activity ${name}`)
    const stop = this.#stop.signal
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.#pool(policy.pool).run(options, () => this.#attempt(name, input, policy))
        return stop.aborted ? await never() : result
      } catch (error) {
        if (stop.aborted) return never()
        this.#options.onError(error, name)
        if (attempt === policy.attempts) throw error
        await sleep(Math.min(policy.firstRetryMs * 2 ** (attempt - 1), policy.maxRetryMs), stop)
      }
    }
  }

  async #attempt(name: string, input: never, policy: ActivityPolicy): Promise<unknown> {
    if (this.#stop.signal.aborted) return never()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(new Error(`activity ${name} timed out`)), policy.timeoutMs).unref()
    const signal = AbortSignal.any([this.#stop.signal, timeout.signal])
    const work = this.#options.activities[name]!(input, { signal })
    this.#active.add(work)
    const settled = () => void this.#active.delete(work)
    work.then(settled, settled)
    // The timeout must also end the attempt of an activity that ignores its signal.
    const timedOut = new Promise<never>((_, reject) =>
      timeout.signal.addEventListener('abort', () => reject(timeout.signal.reason)),
    )
    try {
      return await Promise.race([work, timedOut])
    } finally {
      clearTimeout(timer)
    }
  }

  #pool(name: string): Pool {
    const known = this.#pools.get(name)
    if (known) return known
    const pool = new Pool(this.#options.slots?.[name] ?? Number.POSITIVE_INFINITY)
    this.#pools.set(name, pool)
    return pool
  }
}
