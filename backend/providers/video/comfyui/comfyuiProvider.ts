import { setTimeout as delay } from 'node:timers/promises'
import type { Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import type { WatchedFolder } from '#backend/kernel/watchedFolder.ts'
import {
  type CancelAnswer,
  type CreateAnswer,
  type RenderRequest,
  type RenderState,
  UndeliverableVideo,
  type VideoProvider,
} from '#backend/tasks/videoProvider.port.ts'
import { NotSent } from '../httpCall.ts'
import {
  alertOperator,
  answerToError,
  type Protection,
  recordAccepted,
  waitForBreaker,
} from '../protection/protectedCalls.ts'
import { checkEngine } from './checkEngine.ts'
import type { ComfyuiClient } from './comfyuiClient.ts'
import { stateOf } from './comfyuiJob.ts'
import type { createComfyuiProgress } from './comfyuiProgress.ts'
import { fetchFilm } from './fetchFilm.ts'
import { type ComfyuiGraph, DEFAULT_FPS, fillGraph } from './graphFile.ts'
import { graphValues, picturesOf } from './graphValues.ts'

export interface ComfyuiDeps extends Protection {
  readonly client: ComfyuiClient
  readonly progress: ReturnType<typeof createComfyuiProgress>
  readonly graphs: Promise<WatchedFolder<ComfyuiGraph>>
  readonly baseUrl: string
  readonly guard: Guard
  readonly headers: Readonly<Record<string, string>>
  readonly clientId: string
  readonly ffmpegPath: string | undefined
  readonly pollIntervalMs: number
  readonly stallTimeoutMs: number
}

/** A job id is the task id, which is the `prompt_id`, and the graph's id, which tells the output node and the cost. */
const jobIdOf = ({ taskId, providerModel }: RenderRequest) => `${taskId}:${providerModel}`
const partsOf = (jobId: string) => {
  const [promptId = '', ...graph] = jobId.split(':')
  return { promptId, graphId: graph.join(':') }
}

/** Creates the queue of jobs, which queues a job once. */
function createQueue(deps: ComfyuiDeps, signal: AbortSignal) {
  const { client, progress, graphs, clientId } = deps
  /** Tasks that the server may have queued although no answer came. */
  const unclear = new Set<string>()

  const queueOnce = async (request: RenderRequest, graph: ComfyuiGraph) => {
    const { taskId } = request
    if (await client.read(taskId, signal)) return
    progress.connect()
    const filled = fillGraph(graph, await graphValues(request, graph, client, signal))
    unclear.add(taskId)
    await client.queue(taskId, filled, { clientId, output: graph.output }, signal)
  }
  return {
    async create(request: RenderRequest): Promise<CreateAnswer> {
      const { taskId, providerModel } = request
      const graph = (await graphs).current().get(providerModel)
      if (!graph) return { kind: 'refused', code: 'provider_failed', detail: `There is no graph ${providerModel}.` }
      try {
        await queueOnce(request, graph)
      } catch (error) {
        if (error instanceof NotSent && unclear.has(taskId)) throw new Error(error.message, { cause: error })
        return answerToError(error, deps, taskId)
      }
      unclear.delete(taskId)
      await recordAccepted(deps)
      return { kind: 'accepted', jobId: jobIdOf(request) }
    },

    forget: (taskId: string) => unclear.delete(taskId),
  }
}

/** Polls after which a cancelled job that still runs stays in the history: about half a minute. */
const STOP_ATTEMPTS = 10

async function readJob(deps: ComfyuiDeps, jobId: string, signal: AbortSignal) {
  const { promptId, graphId } = partsOf(jobId)
  try {
    return { job: await deps.client.read(promptId, signal), graph: (await deps.graphs).current().get(graphId) }
  } catch (error) {
    await alertOperator(error, deps)
    throw error
  }
}

const isReachable = (client: ComfyuiClient, signal: AbortSignal) =>
  client.devices(signal).then(
    () => true,
    () => false,
  )

/**
 * Creates the adapter for ComfyUI. The operator's graphs are its models. A job is queued under the task's id, and only
 * if the server does not know it, so a repeated `create` renders once.
 */
export function createComfyuiProvider(deps: ComfyuiDeps): VideoProvider {
  const { client, progress, graphs, breaker } = deps
  const closed = new AbortController()
  const queue = createQueue(deps, closed.signal)
  const either = (signal: AbortSignal) => AbortSignal.any([signal, closed.signal])

  return {
    name: 'comfyui',
    idempotent: true,
    ignoresOptimizer: true,
    cancels: true,
    ownQueue: true,
    pollIntervalMs: deps.pollIntervalMs,
    modelName: async (id) => (await graphs).current().get(id)?.model.names.en,
    acquire: () => waitForBreaker(breaker, () => isReachable(client, closed.signal)),

    create: queue.create,

    async state(jobId, signal): Promise<RenderState> {
      const { job, graph } = await readJob(deps, jobId, either(signal))
      return job ? stateOf(job, graph, progress.progressOf(partsOf(jobId).promptId)) : { kind: 'unknown' }
    },

    async fetch(jobId, file, signal) {
      const { job, graph } = await readJob(deps, jobId, either(signal))
      if (!job) throw new UndeliverableVideo('ComfyUI does not know the job')
      await fetchFilm(deps, job, { output: graph?.output, fps: graph?.fps ?? DEFAULT_FPS }, file, either(signal))
    },

    async cancel(jobId, signal): Promise<CancelAnswer> {
      const status = (await readJob(deps, jobId, either(signal))).job?.status
      if (status !== 'pending' && status !== 'in_progress') return 'too_late'
      const { promptId } = partsOf(jobId)
      return (await client.cancel(promptId, status === 'in_progress', either(signal))) ? 'cancelled' : 'too_late'
    },

    async discard(taskId) {
      const { promptId } = partsOf(taskId)
      queue.forget(promptId)
      progress.forget(promptId)
      try {
        await forget(deps, promptId, closed.signal)
      } catch (error) {
        // The server forgets everything when it restarts.
        deps.log.warn({ err: error, taskId }, 'comfyui job not discarded')
      }
    },

    check: async (signal) => checkEngine(client, await graphs, either(signal)),
    models: async () => [...(await graphs).current().values()].map(({ entry }) => entry),

    async close() {
      closed.abort()
      progress.close()
      await (await graphs).close()
    },
  }
}

/** Stops a job, and removes its prompt and its pictures from the server as far as that can. */
async function forget(
  { client, pollIntervalMs }: Pick<ComfyuiDeps, 'client' | 'pollIntervalMs'>,
  promptId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const picture of picturesOf(promptId)) await client.blank(picture, signal)
  for (let attempt = 1; ; attempt++) {
    const job = await client.read(promptId, signal)
    if (!job) return
    const isOver = job.status !== 'pending' && job.status !== 'in_progress'
    if (isOver) return client.forget(promptId, signal)
    if (attempt > STOP_ATTEMPTS) throw new Error('the job still runs')
    // A running job enters the history when its present step ends.
    await client.cancel(promptId, job.status === 'in_progress', signal)
    await delay(pollIntervalMs, undefined, { signal })
  }
}
