import { setTimeout as delay } from 'node:timers/promises'
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker'
import type { Bundle } from './bundle.ts'
import { DEPLOYMENT, queueOf } from './names.ts'
import type { Log } from './runtime.ts'

export interface WorkersOptions {
  readonly connection: NativeConnection
  readonly namespace: string
  readonly bundle: Bundle
  readonly activities: WorkerOptions['activities']
  /** How many activities of each pool run here at once. */
  readonly slots: Readonly<Record<string, number>>
  readonly log: Log
}

const AGAIN_MS = 2_000
/** An activity that does not listen to its signal is left behind after so long. */
const REST_MS = 10_000

/** One worker for each pool; that of `main` runs the workflows as well. One that fails is put in place again. */
export function runWorkers({ connection, namespace, bundle, activities, slots, log }: WorkersOptions) {
  const halt = new AbortController()
  const create = (pool: string, atOnce: number) =>
    Worker.create({
      connection,
      namespace,
      taskQueue: queueOf(pool),
      activities,
      maxConcurrentActivityTaskExecutions: atOnce,
      // A process that was killed is not waited for much longer than its heartbeat.
      stickyQueueScheduleToStartTimeout: 2_000,
      shutdownGraceTime: 0,
      shutdownForceTime: REST_MS,
      // The log is the journal: a run that cannot go on with a changed body begins again.
      workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: DEPLOYMENT, buildId: bundle.buildId },
        defaultVersioningBehavior: 'AUTO_UPGRADE',
      },
      ...(pool === 'main' && { workflowBundle: { code: bundle.code } }),
    })

  const serve = async (pool: string, atOnce: number) => {
    while (!halt.signal.aborted) {
      try {
        const worker = await create(pool, atOnce)
        const stop = () => worker.getState() === 'RUNNING' && worker.shutdown()
        halt.signal.addEventListener('abort', stop)
        const running = worker.run()
        if (halt.signal.aborted) stop()
        await running.finally(() => halt.signal.removeEventListener('abort', stop))
      } catch (error) {
        if (!halt.signal.aborted) log.warn({ err: error, pool }, 'temporal worker failed, restarting')
        await delay(AGAIN_MS, undefined, { signal: halt.signal }).catch(() => {})
      }
    }
  }
  const all = Object.entries(slots).map(([pool, atOnce]) => serve(pool, atOnce))
  return {
    async stop() {
      halt.abort()
      await Promise.all(all)
    },
  }
}
