import { copyFile, mkdir, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { CreateAnswer, RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { hashText } from '#renderer/random.ts'
import { understand } from '#renderer/reading/understand.ts'
import { removeFile } from '../../../kernel/media/atomicFile.ts'
import { Pool } from '../../../kernel/pool.ts'
import { renderInChild } from './renderJob.ts'

type Job = {
  readonly state: Extract<RenderState, { kind: 'queued' | 'rendering' | 'failed' }>
  readonly cancel: AbortController
}

const TIMEOUT_MS = 10 * 60_000
/** Six seconds at 768P take 8 s of CPU, on two cores that also serve. */
const TYPICAL_MS = 15_000

/** Returns how many films are drawn at a time. */
export const demoSlots = (): number => Math.max(1, Math.floor(os.availableParallelism() / 2))

/** Creates the renders that are not finished: those in progress, and those that failed. */
function createJobs(fileOf: (taskId: string) => string, ffmpegPath: string | undefined) {
  const jobs = new Map<string, Job>()
  const pool = new Pool(demoSlots())
  const closed = new AbortController()

  const render = async (request: RenderRequest, cancel: AbortController) => {
    const { taskId, prompt, cameraMovements: movements, resolution, duration, firstFrame } = request
    const seed = request.seed ?? hashText(taskId)
    await mkdir(path.dirname(fileOf(taskId)), { recursive: true })
    const image = firstFrame ? { imagePath: firstFrame } : {}
    const job = { prompt, seed, ...image, ffmpegPath, movements, resolution, duration, out: fileOf(taskId) }
    let frame: Uint8Array | undefined
    const onFrame = (jpeg: Uint8Array) => {
      frame = jpeg
    }
    const onProgress = (percent: number) => {
      if (!cancel.signal.aborted) jobs.set(taskId, { state: { kind: 'rendering', percent, frame }, cancel })
    }
    const signal = AbortSignal.any([closed.signal, cancel.signal])
    await pool.run({}, async () => {
      signal.throwIfAborted()
      onProgress(0)
      await renderInChild(job, { signal, onProgress, onFrame, timeoutMs: TIMEOUT_MS })
    })
  }

  const start = (request: RenderRequest) => {
    const { taskId } = request
    const cancel = new AbortController()
    jobs.set(taskId, { state: { kind: 'queued' }, cancel })
    render(request, cancel).then(
      () => jobs.delete(taskId),
      ({ message: detail }: Error) => {
        if (cancel.signal.aborted) return
        jobs.set(taskId, { state: { kind: 'failed', code: 'provider_failed', detail }, cancel })
      },
    )
  }

  const stop = (jobId: string) => {
    jobs.get(jobId)?.cancel.abort()
    return jobs.delete(jobId)
  }

  return {
    stateOf: (jobId: string) => jobs.get(jobId)?.state,
    start,
    stop,
    close: () => closed.abort(),
  }
}

/**
 * Creates a provider that renders locally, without an API key. The job id is the task id. Finished files stay in
 * `folder` until they are discarded, so that a restart does not render them again.
 */
export function createDemoProvider(folder: string, ffmpegPath?: string): VideoProvider {
  const fileOf = (jobId: string) => path.join(folder, `${jobId}.mp4`)
  const jobs = createJobs(fileOf, ffmpegPath)

  return {
    name: 'demo',
    idempotent: true,
    cancels: true,
    ignoresOptimizer: true,
    takesSeeds: true,
    ownQueue: true,
    pollIntervalMs: 250,
    typicalMs: TYPICAL_MS,
    understands: understand,
    acquire: async () => 0,

    async create(request): Promise<CreateAnswer> {
      const { taskId } = request
      if (!jobs.stateOf(taskId)) jobs.start(request)
      return { kind: 'accepted', jobId: taskId }
    },

    async state(jobId): Promise<RenderState> {
      const state = jobs.stateOf(jobId)
      if (state) return state
      const file = await stat(fileOf(jobId)).catch(() => undefined)
      return { kind: file?.isFile() ? 'finished' : 'unknown' }
    },

    fetch: (jobId, file) => copyFile(fileOf(jobId), file),

    cancel: async (jobId) => (jobs.stop(jobId) ? 'cancelled' : 'too_late'),

    async discard(taskId) {
      jobs.stop(taskId)
      await removeFile(fileOf(taskId))
    },

    check: async () => ({ ok: true, detail: 'Videos are rendered on this machine.' }),

    close: async () => jobs.close(),
  }
}
