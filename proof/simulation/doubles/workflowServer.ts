import {
  type Activities,
  type ActivityPolicy,
  type Policies,
  type StartOptions,
  type Workflow,
  type WorkflowContext,
  workflowId,
} from '#workflows/engine/engine.port.ts'
import { currentMachine, type Latency, type Machine, type Scheduler } from '../time/scheduler.ts'

const CALL: Latency = { min: 2, max: 40 }
const MAX_RUN_ATTEMPTS = 10

export interface Worker {
  readonly machine: Machine
  readonly activities: Activities
  readonly policies: Policies
}

interface Attempt {
  readonly machine: Machine
  readonly fail: (error: Error) => void
}

class Run {
  readonly result = Promise.withResolvers<unknown>()
  readonly raised = new Set<string>()
  readonly waiting = new Map<string, () => void>()
}

/**
 * A durable workflow server in the manner of Temporal. Runs survive the workers. An activity whose worker is silent for
 * longer than its heartbeat timeout is tried again on another worker, although the first may still be busy with it.
 */
export class WorkflowServer {
  readonly #scheduler: Scheduler
  readonly #workers = new Set<Worker>()
  readonly #runs = new Map<string, Run>()
  readonly #attempts = new Set<Attempt>()
  readonly #schedules = new Set<string>()
  /** Time that the server takes to start a run. */
  startLatency: Latency = CALL
  /** Called when the server has started a run. */
  onStart: (id: string) => void = () => {}

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  get runs(): readonly string[] {
    return [...this.#runs.keys()]
  }

  connect(worker: Omit<Worker, 'machine'>): Worker {
    const connected = { ...worker, machine: currentMachine()! }
    this.#workers.add(connected)
    return connected
  }

  disconnect(worker: Worker): void {
    this.#workers.delete(worker)
  }

  start(workflow: Workflow<never, never, unknown, never>, input: unknown, options: StartOptions): Promise<void> {
    return this.#scheduler.call(this.startLatency, () => this.#start(workflow, input, options))
  }

  signal(id: string, name: string): Promise<void> {
    return this.#scheduler.call(CALL, () => {
      const run = this.#runs.get(id)
      run?.raised.add(name)
      run?.waiting.get(name)?.()
    })
  }

  schedule(workflow: Workflow<never, never, unknown, never>, everyMs: number): void {
    if (this.#schedules.has(workflow.type)) return
    this.#schedules.add(workflow.type)
    const repeat = () => {
      this.#start(workflow, {}, {})
      this.#scheduler.schedule(everyMs, undefined, repeat)
    }
    this.#scheduler.schedule(everyMs, undefined, repeat)
  }

  result(id: string): Promise<unknown> | undefined {
    return this.#runs.get(id)?.result.promise
  }

  /** Fails the attempts of a machine that has died or sleeps, after the heartbeat timeout. */
  suspect(machine: Machine, heartbeatMs = 4_000): void {
    for (const worker of this.#workers) if (worker.machine === machine && !machine.isAlive) this.#workers.delete(worker)
    const silent = [...this.#attempts].filter((attempt) => attempt.machine === machine)
    this.#scheduler.schedule(heartbeatMs, undefined, () => {
      if (machine.isAlive && !machine.isPaused) return
      for (const { fail } of silent) fail(new Error(`${machine.name} does not answer`))
    })
  }

  #start(workflow: Workflow<never, never, unknown, never>, input: unknown, options: StartOptions, attempt = 1): void {
    const id = workflowId(workflow, input as never)
    if (this.#runs.has(id)) return
    const run = new Run()
    run.result.promise.catch(() => {})
    this.#runs.set(id, run)
    this.onStart(id)
    const ended = () => this.#runs.delete(id)
    this.#scheduler.runOn(undefined, () =>
      workflow.run(this.#context(run) as never, input as never).then(
        (output) => {
          ended()
          run.result.resolve(output)
        },
        (error) => {
          ended()
          run.result.reject(error)
          const again = () => this.#start(workflow, input, options, attempt + 1)
          if (attempt < MAX_RUN_ATTEMPTS) this.#scheduler.schedule(1_000 * 2 ** attempt, undefined, again)
        },
      ),
    )
  }

  #context(run: Run): WorkflowContext<unknown> {
    return {
      now: async () => Math.floor(this.#scheduler.now),
      sleep: (ms) => new Promise((resolve) => this.#scheduler.schedule(ms, undefined, resolve as () => void)),
      signalled: async (name, ms) => {
        if (!run.raised.has(name))
          await new Promise<void>((resolve) => {
            run.waiting.set(name, resolve)
            this.#scheduler.schedule(ms, undefined, resolve)
          })
        run.waiting.delete(name)
        return run.raised.delete(name)
      },
      activities: new Proxy({}, { get: (_, name: string) => (input: unknown) => this.#activity(name, input) }),
    }
  }

  async #activity(name: string, input: unknown): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const worker = this.#pickWorker()
      if (!worker) {
        await new Promise<void>((resolve) => this.#scheduler.schedule(500, undefined, resolve))
        attempt--
        continue
      }
      const policy = worker.policies[name]!
      try {
        return await this.#attempt(worker, name, input, policy)
      } catch (error) {
        if (attempt >= policy.attempts) throw error
        const delay = Math.min(policy.firstRetryMs * 2 ** (attempt - 1), policy.maxRetryMs)
        await new Promise<void>((resolve) => this.#scheduler.schedule(delay, undefined, resolve))
      }
    }
  }

  /** The server learns that a worker sleeps only when its heartbeats stay away, so it may choose one that does. */
  #pickWorker(): Worker | undefined {
    const workers = [...this.#workers].filter(({ machine }) => machine.isAlive)
    return workers.length === 0 ? undefined : this.#scheduler.random.pick(workers)
  }

  #attempt({ machine, activities }: Worker, name: string, input: unknown, policy: ActivityPolicy): Promise<unknown> {
    const scheduler = this.#scheduler
    const cancelled = new AbortController()
    return new Promise((resolve, reject) => {
      const attempt: Attempt = { machine, fail: (error) => end(() => reject(error), error) }
      const end = (settle: () => void, reason?: Error) => {
        if (!this.#attempts.delete(attempt)) return
        timeout.cancelled = true
        // A worker that is told that its attempt is over stops it.
        if (reason) scheduler.schedule(scheduler.random.between(0, 4_000), machine, () => cancelled.abort(reason))
        settle()
      }
      const answer = (settle: () => void) =>
        scheduler.schedule(scheduler.random.between(CALL.min, CALL.max), undefined, () => end(settle))
      const timeout = scheduler.schedule(policy.timeoutMs, undefined, () => attempt.fail(new Error('timed out')))
      this.#attempts.add(attempt)
      if (machine.isPaused) this.suspect(machine)
      scheduler.schedule(scheduler.random.between(CALL.min, CALL.max), machine, () => {
        const { signal } = cancelled
        activities[name]!(input as never, { signal }).then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        )
      })
    })
  }
}

let server: WorkflowServer

/** Chooses the server that engines connect to from now on. */
export function followServer(of: WorkflowServer): void {
  server = of
}

export const currentServer = (): WorkflowServer => server
