import { setTimeout as delay } from 'node:timers/promises'
import { type InjectedSinks, type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker'
import type { Bundle } from './bundle.ts'
import type { HostSinks } from './host.ts'
import { DEPLOYMENT, queueOf } from './names.ts'
import type { Log } from './runtime.ts'

export interface WorkersOptions {
  readonly connection: NativeConnection
  readonly namespace: string
  readonly bundle: Bundle
  readonly activities: WorkerOptions['activities']
  /** Maximum number of concurrent activities in this process, by pool. */
  readonly slots: Readonly<Record<string, number>>
  /** Called with the id of each workflow that begins to run in this process. */
  readonly onBegun: (workflowId: string) => void
  readonly log: Log
}

/** More than the pollers and the starts in flight use: the server queues a start that finds no free slot. */
const WORKFLOW_TASKS = 120
/** Each call into a sandbox waits for a watchdog thread to begin and end, so one thread mostly waits. */
const WORKFLOW_THREADS = 2

const RESTART_MS = 2_000
/** Time after which an activity that ignores its signal is abandoned. */
const FORCE_SHUTDOWN_MS = 10_000

/** Maximum number of activities that begin per second in the other pools, so that `main` starts runs before them. */
const STARTS_PER_SECOND = 10

/** Runs one worker per pool. The worker of `main` also runs the workflows. A failed worker is restarted. */
export function runWorkers({ connection, namespace, bundle, activities, slots, onBegun, log }: WorkersOptions) {
  const halt = new AbortController()
  const sinks: InjectedSinks<HostSinks> = { runs: { begun: { fn: ({ workflowId }) => onBegun(workflowId) } } }
  const workflows: Partial<WorkerOptions> = {
    workflowBundle: { code: bundle.code },
    sinks,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
    workflowThreadPoolSize: WORKFLOW_THREADS,
  }
  const create = (pool: string, limit: number) =>
    Worker.create({
      connection,
      namespace,
      taskQueue: queueOf(pool),
      activities,
      maxConcurrentActivityTaskExecutions: limit,
      // Short, so that another process soon takes over the workflow tasks of a killed one.
      stickyQueueScheduleToStartTimeout: 2_000,
      shutdownGraceTime: 0,
      shutdownForceTime: FORCE_SHUTDOWN_MS,
      // A run whose history does not match a changed body fails and restarts from its input.
      workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: DEPLOYMENT, buildId: bundle.buildId },
        defaultVersioningBehavior: 'AUTO_UPGRADE',
      },
      ...(pool === 'main' ? workflows : { maxActivitiesPerSecond: STARTS_PER_SECOND }),
    })

  const serve = async (pool: string, limit: number) => {
    while (!halt.signal.aborted) {
      try {
        const worker = await create(pool, limit)
        const stop = () => worker.getState() === 'RUNNING' && worker.shutdown()
        halt.signal.addEventListener('abort', stop)
        const running = worker.run()
        if (halt.signal.aborted) stop()
        await running.finally(() => halt.signal.removeEventListener('abort', stop))
      } catch (error) {
        if (!halt.signal.aborted) log.warn({ err: error, pool }, 'temporal worker failed, restarting')
        await delay(RESTART_MS, undefined, { signal: halt.signal }).catch(() => {})
      }
    }
  }
  const all = Object.entries(slots).map(([pool, limit]) => serve(pool, limit))
  return {
    async stop() {
      halt.abort()
      await Promise.all(all)
    },
  }
}
