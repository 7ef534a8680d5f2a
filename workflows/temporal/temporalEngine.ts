import { setTimeout as delay } from 'node:timers/promises'
import {
  Client,
  Connection,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import {
  type Activities,
  type Engine,
  type NoInput,
  type Policies,
  type StartOptions,
  type Workflow,
  workflowId,
} from '../engine/engine.port.ts'
import type { Bundle } from './bundle.ts'
import { promoteVersion } from './deployment.ts'
import { hostActivities } from './hostActivities.ts'
import { ENGINE_SIGNAL, queueOf } from './names.ts'
import { installRuntime, type Log } from './runtime.ts'
import { runWorkers } from './workers.ts'

export interface TemporalEngineOptions {
  /** `host:port` */
  readonly address: string
  readonly namespace: string
  /** Default: no TLS. */
  readonly tls?: boolean | { readonly serverRootCACertificate: Uint8Array }
  readonly apiKey?: string
  readonly bundle: () => Promise<Bundle>
  readonly activities: Activities
  readonly policies: Policies
  /** Maximum number of concurrent activities in this process, by pool. Default: {@link DEFAULT_SLOTS}. */
  readonly slots?: Readonly<Record<string, number>>
  readonly onError: (error: unknown, activity: string) => void
  readonly log: Log
  /** Time without workers after which an older version replaces a newer one, ms. */
  readonly abandonedMs?: number
}

type Session = Readonly<{
  client: Client
  /** Shares the workers' connection, so that the server answers a start with the run's first task. */
  starter: Client
  close(): Promise<void>
}>

const DEFAULT_SLOTS = 200
const CALL_TIMEOUT_MS = 10_000
const PROBE_TIMEOUT_MS = 1_500
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 10_000
/** A failed run restarts from its input. */
const RETRY = { maximumAttempts: 10, initialInterval: '1 second', maximumInterval: '10 minutes' } as const

/** Time after which Temporal gives a workflow task to another process. A task normally takes milliseconds. */
const WORKFLOW_TASK_TIMEOUT_MS = 4_000

/** Short, so that after an outage a schedule starts one run instead of every run that it missed. */
const CATCH_UP_WINDOW = '1 minute'

/**
 * Runs workflows on a Temporal server, in any number of processes. The constructor does not wait for the server. Calls
 * wait until it is reachable.
 */
export class TemporalEngine implements Engine {
  readonly #options: TemporalEngineOptions
  readonly #stop = new AbortController()
  readonly #session: Promise<Session | undefined>
  /** Calls in flight. A retry on a closed connection would throw an uncaught error, so the connection closes last. */
  readonly #inFlight = new Set<Promise<unknown>>()

  /** Called when a run begins that this process is starting, by workflow id. */
  readonly #starting = new Map<string, () => void>()

  constructor(options: TemporalEngineOptions) {
    installRuntime(options.log)
    this.#options = options
    this.#session = this.#open()
  }

  /**
   * Starts a run. If the server hands its first task to this process, resolves when the run has begun here. Starts in
   * flight then never outnumber the tasks that the worker can handle before they time out. See
   * docs/decisions/0040-starts-wait-for-their-runs.md.
   */
  async start<I>(workflow: Workflow<never, I, unknown>, input: NoInfer<I>, options: StartOptions = {}): Promise<void> {
    const start = ({ starter }: Session) =>
      starter.workflow.start(workflow.type, {
        workflowId: workflowId(workflow, input),
        taskQueue: queueOf('main'),
        args: [input],
        requestEagerStart: true,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        retry: RETRY,
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
        priority: { priorityKey: options.priority, fairnessKey: options.owner },
      })
    const id = workflowId(workflow, input)
    const begun = Promise.withResolvers<void>()
    this.#starting.set(id, begun.resolve)
    try {
      const run = await this.#call((session) =>
        session.starter.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => start(session)),
      )
      if (run?.eagerlyStarted) await Promise.race([begun.promise, this.#taskTimeout()])
    } finally {
      this.#starting.delete(id)
    }
  }

  async signal<Key>(workflow: Workflow<never, never, unknown, Key>, input: NoInfer<Key>, name: string): Promise<void> {
    const id = workflowId(workflow, input)
    await this.#call(({ client }) => client.workflow.getHandle(id).signal(ENGINE_SIGNAL, name)).catch(unlessUnknown)
  }

  async schedule(workflow: Workflow<never, NoInput, unknown>, everyMs: number): Promise<void> {
    const id = workflowId(workflow, {})
    const schedule: Omit<ScheduleOptions, 'scheduleId'> = {
      spec: { intervals: [{ every: everyMs }] },
      action: {
        type: 'startWorkflow',
        workflowType: workflow.type,
        workflowId: id,
        taskQueue: queueOf('main'),
        args: [{}],
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      },
      policies: { overlap: 'SKIP', catchupWindow: CATCH_UP_WINDOW },
    }
    await this.#call(async ({ client }) => {
      try {
        await client.schedule.create({ scheduleId: id, ...schedule })
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error
        await client.schedule.getHandle(id).update(({ state }) => ({ ...schedule, state }))
      }
    })
  }

  async result<O, Key>(workflow: Workflow<never, never, O, Key>, input: NoInfer<Key>): Promise<O | undefined> {
    const id = workflowId(workflow, input)
    return this.#untilStopped(({ client }) => client.workflow.getHandle(id).result()).catch(unlessUnknown)
  }

  /** Returns whether the server answers within {@link PROBE_TIMEOUT_MS}. */
  async reachable(): Promise<boolean> {
    const isOpen = await Promise.race([this.#session.then(Boolean), delay(0, false)])
    if (!isOpen) return false
    const { namespace } = this.#options
    const probe = ({ client }: Session) => client.workflowService.describeNamespace({ namespace })
    return this.#call(probe, PROBE_TIMEOUT_MS).then(Boolean, () => false)
  }

  async stop(): Promise<void> {
    if (this.#stop.signal.aborted) return
    this.#stop.abort()
    await (await this.#session)?.close()
  }

  #call<T>(call: (session: Session) => Promise<T>, withinMs = CALL_TIMEOUT_MS): Promise<T | undefined> {
    return this.#untilStopped((session) => session.client.withDeadline(Date.now() + withinMs, () => call(session)))
  }

  /** Returns undefined if the engine stops before the server answers. */
  async #untilStopped<T>(call: (session: Session) => Promise<T>): Promise<T | undefined> {
    const session = await this.#session
    const { signal } = this.#stop
    if (!session || signal.aborted) return undefined
    const stopped = Promise.withResolvers<undefined>()
    const onStop = () => stopped.resolve(undefined)
    signal.addEventListener('abort', onStop)
    const calling = session.client.withAbortSignal(signal, () => call(session))
    this.#inFlight.add(calling)
    const settled = () => this.#inFlight.delete(calling)
    calling.then(settled, settled)
    try {
      return await Promise.race([calling, stopped.promise])
    } finally {
      signal.removeEventListener('abort', onStop)
    }
  }

  #taskTimeout(): Promise<void> {
    return delay(WORKFLOW_TASK_TIMEOUT_MS, undefined, { ref: false, signal: this.#stop.signal }).catch(() => {})
  }

  async #open(): Promise<Session | undefined> {
    const { address, namespace, log } = this.#options
    const { signal } = this.#stop
    for (let wait = FIRST_DELAY_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_DELAY_MS)) {
      try {
        return await this.#connect()
      } catch (error) {
        if (signal.aborted) break
        log.warn({ err: error, address, namespace, wait }, 'temporal not reachable, retrying')
        await delay(wait, undefined, { signal }).catch(() => {})
      }
    }
    return undefined
  }

  async #connect(): Promise<Session> {
    const { address, namespace, tls, apiKey, policies, activities, onError, log, slots, abandonedMs } = this.#options
    const server = { address, ...(tls && { tls }), ...(apiKey && { apiKey }) }
    const connection = await Connection.connect({ ...server, connectTimeout: '5 seconds' })
    let native: NativeConnection | undefined
    try {
      const client = new Client({ connection, namespace })
      await client.workflowService.describeNamespace({ namespace })
      native = await NativeConnection.connect(server)
      const bundle = await this.#options.bundle()
      const pools = new Set(['main', ...Object.values(policies).map(({ pool }) => pool)])
      const workers = runWorkers({
        connection: native,
        namespace,
        bundle,
        activities: hostActivities(activities, policies, onError),
        slots: { ...Object.fromEntries([...pools].map((pool) => [pool, DEFAULT_SLOTS])), ...slots },
        onBegun: (workflowId) => this.#starting.get(workflowId)?.(),
        log,
      })
      const closing = new AbortController()
      const signal = AbortSignal.any([this.#stop.signal, closing.signal])
      const promotion = promoteVersion(client, namespace, bundle.buildId, { log, signal, abandonedMs })
      const close = async () => {
        closing.abort()
        await Promise.all([workers.stop(), promotion])
        await native?.close()
        void Promise.allSettled(this.#inFlight).then(() => connection.close())
      }
      return { client, starter: new Client({ connection: native, namespace }), close }
    } catch (error) {
      await native?.close()
      await connection.close()
      throw error
    }
  }
}

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error
}
