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
import { takeOver } from './deployment.ts'
import { hostActivities } from './hostActivities.ts'
import { LOOK_AGAIN, queueOf } from './names.ts'
import { installRuntime, type Log } from './runtime.ts'
import { runWorkers } from './workers.ts'

export interface TemporalEngineOptions {
  /** `host:port` */
  readonly address: string
  readonly namespace: string
  readonly bundle: () => Promise<Bundle>
  readonly activities: Activities
  readonly policies: Policies
  /** How many activities of a pool run in this process at once; a pool that is not named has room for {@link ROOM}. */
  readonly slots?: Readonly<Record<string, number>>
  readonly onError: (error: unknown, activity: string) => void
  readonly log: Log
}

interface Session {
  readonly client: Client
  close(): Promise<void>
}

const ROOM = 200
const CALL_MS = 10_000
const ASK_MS = 1_500
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000
/** A run that fails begins again from the log, some times: what it needs may be back by then. */
const RETRY = { maximumAttempts: 10, initialInterval: '1 second', maximumInterval: '10 minutes' } as const

/** A step of a workflow takes milliseconds; where it takes longer, its process is gone or stuck, and another one takes it. */
const STEP = '4 seconds'

/** Workflows that were missed while Temporal was away are made up for by one run when it is back, not by hundreds. */
const CATCH_UP = '1 minute'

/**
 * Runs workflows on a Temporal server: it remembers what runs, and any number of processes do the work. Whoever opens it
 * need not wait for the server: calls wait until it is there.
 */
export class TemporalEngine implements Engine {
  readonly #options: TemporalEngineOptions
  readonly #stop = new AbortController()
  readonly #session: Promise<Session | undefined>
  /** Calls whose answer has not come: the client throws at whom nobody catches when one is tried again on a closed connection. */
  readonly #asked = new Set<Promise<unknown>>()

  constructor(options: TemporalEngineOptions) {
    installRuntime(options.log)
    this.#options = options
    this.#session = this.#open()
  }

  async start<I>(
    workflow: Workflow<never, I, unknown>,
    input: NoInfer<I>,
    { priority, owner }: StartOptions = {},
  ): Promise<void> {
    await this.#call(({ client }) =>
      client.workflow.start(workflow.type, {
        workflowId: workflowId(workflow, input),
        taskQueue: queueOf('main'),
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        retry: RETRY,
        workflowTaskTimeout: STEP,
        priority: { priorityKey: priority, fairnessKey: owner },
      }),
    )
  }

  async signal<Key>(workflow: Workflow<never, never, unknown, Key>, input: NoInfer<Key>, name: string): Promise<void> {
    const id = workflowId(workflow, input)
    await this.#call(({ client }) => client.workflow.getHandle(id).signal(LOOK_AGAIN, name)).catch(unlessUnknown)
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
        workflowTaskTimeout: STEP,
      },
      policies: { overlap: 'SKIP', catchupWindow: CATCH_UP },
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
    return this.#ask(({ client }) => client.workflow.getHandle(id).result()).catch(unlessUnknown)
  }

  /** Whether the server answers. */
  async reachable(): Promise<boolean> {
    const isOpen = await Promise.race([this.#session.then(Boolean), delay(0, false)])
    if (!isOpen) return false
    const { namespace } = this.#options
    const ask = ({ client }: Session) => client.workflowService.describeNamespace({ namespace })
    return this.#call(ask, ASK_MS).then(Boolean, () => false)
  }

  async stop(): Promise<void> {
    if (this.#stop.signal.aborted) return
    this.#stop.abort()
    await (await this.#session)?.close()
  }

  #call<T>(call: (session: Session) => Promise<T>, withinMs = CALL_MS): Promise<T | undefined> {
    return this.#ask((session) => session.client.withDeadline(Date.now() + withinMs, () => call(session)))
  }

  /** Stopped while it waits for the server or its answer: nothing, for good. */
  async #ask<T>(call: (session: Session) => Promise<T>): Promise<T | undefined> {
    const session = await this.#session
    const { signal } = this.#stop
    if (!session || signal.aborted) return undefined
    const stopped = Promise.withResolvers<undefined>()
    const destroyClient = () => stopped.resolve(undefined)
    signal.addEventListener('abort', destroyClient)
    const asked = session.client.withAbortSignal(signal, () => call(session))
    this.#asked.add(asked)
    const answered = () => this.#asked.delete(asked)
    asked.then(answered, answered)
    try {
      return await Promise.race([asked, stopped.promise])
    } finally {
      signal.removeEventListener('abort', destroyClient)
    }
  }

  async #open(): Promise<Session | undefined> {
    const { address, namespace, log } = this.#options
    const { signal } = this.#stop
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
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
    const { address, namespace, policies, activities, onError, log, slots } = this.#options
    const connection = await Connection.connect({ address, connectTimeout: '5 seconds' })
    let native: NativeConnection | undefined
    try {
      const client = new Client({ connection, namespace })
      await client.workflowService.describeNamespace({ namespace })
      native = await NativeConnection.connect({ address })
      const bundle = await this.#options.bundle()
      const pools = new Set(['main', ...Object.values(policies).map(({ pool }) => pool)])
      const workers = runWorkers({
        connection: native,
        namespace,
        bundle,
        activities: hostActivities(activities, policies, onError),
        slots: { ...Object.fromEntries([...pools].map((pool) => [pool, ROOM])), ...slots },
        log,
      })
      const upgrading = takeOver(client, namespace, bundle.buildId, { log, signal: this.#stop.signal })
      const close = async () => {
        await Promise.all([workers.stop(), upgrading])
        await native?.close()
        void Promise.allSettled(this.#asked).then(() => connection.close())
      }
      return { client, close }
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
