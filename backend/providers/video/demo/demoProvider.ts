import { copyFile, mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { CreateAnswer, RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { renderInChild } from './renderJob.ts'

type Job = { readonly state: Extract<RenderState, { kind: 'rendering' | 'failed' }>; readonly cancel: AbortController }

/**
 * Renders on this machine, so that Kinora works without a key. A job's id is its task's; finished files lie in `folder`
 * until they are forgotten, so that a restart does not render them again.
 */
export function createDemoProvider(folder: string, ffmpegPath?: string): VideoProvider {
  const jobs = new Map<string, Job>()
  const stop = new AbortController()
  const fileOf = (jobId: string) => path.join(folder, `${jobId}.mp4`)

  const render = async (
    { taskId, prompt, taskType, cameraMovements, resolution, duration, firstFrame }: RenderRequest,
    cancel: AbortController,
  ) => {
    await mkdir(folder, { recursive: true })
    const job = {
      mode: taskType === 'text_to_video' ? ('text' as const) : ('image' as const),
      prompt,
      ...(firstFrame ? { imagePath: firstFrame } : {}),
      ...(ffmpegPath ? { ffmpegPath } : {}),
      movements: [...cameraMovements],
      resolution,
      duration,
      out: fileOf(taskId),
    }
    const onProgress = (percent: number) => {
      if (!cancel.signal.aborted) jobs.set(taskId, { state: { kind: 'rendering', percent }, cancel })
    }
    const signal = AbortSignal.any([stop.signal, cancel.signal])
    await renderInChild(job, { signal, onProgress, timeoutMs: 10 * 60_000 })
  }

  return {
    name: 'demo',
    idempotent: true,
    pollIntervalMs: 250,
    acquire: async () => 0,

    async create(request): Promise<CreateAnswer> {
      const { taskId } = request
      if (!jobs.has(taskId)) {
        const cancel = new AbortController()
        jobs.set(taskId, { state: { kind: 'rendering', percent: 0 }, cancel })
        render(request, cancel).then(
          () => jobs.delete(taskId),
          ({ message: detail }: Error) => {
            if (cancel.signal.aborted) return
            jobs.set(taskId, { state: { kind: 'failed', code: 'provider_failed', detail }, cancel })
          },
        )
      }
      return { kind: 'accepted', jobId: taskId }
    },

    async state(jobId): Promise<RenderState> {
      const job = jobs.get(jobId)
      if (job) return job.state
      return (await exists(fileOf(jobId))) ? { kind: 'finished' } : { kind: 'unknown' }
    },

    fetch: (jobId, file) => copyFile(fileOf(jobId), file),

    async discard(taskId) {
      jobs.get(taskId)?.cancel.abort()
      jobs.delete(taskId)
      await rm(fileOf(taskId), { force: true })
    },

    async close() {
      stop.abort()
    },
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
