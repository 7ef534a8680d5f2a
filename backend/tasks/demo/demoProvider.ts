import { copyFile, mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { RenderAnswer, RenderRequest, RenderState, VideoProvider } from '../videoProvider.ts'
import { renderInChild } from './renderJob.ts'

type Job = Extract<RenderState, { kind: 'rendering' | 'failed' }>

/**
 * Renders on this machine, so that Kinora works without a key. A job's id is its task's; finished files lie in `folder`
 * until they are forgotten, so that a restart does not render them again.
 */
export function createDemoProvider(folder: string, ffmpegPath?: string): VideoProvider {
  const jobs = new Map<string, Job>()
  const stop = new AbortController()
  const fileOf = (jobId: string) => path.join(folder, `${jobId}.mp4`)

  const render = async ({
    taskId,
    prompt,
    taskType,
    cameraMovements,
    resolution,
    duration,
    firstFrame,
  }: RenderRequest) => {
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
    const onProgress = (percent: number) => void jobs.set(taskId, { kind: 'rendering', percent })
    await renderInChild(job, { signal: stop.signal, onProgress, timeoutMs: 10 * 60_000 })
  }

  return {
    name: 'demo',
    idempotent: true,
    pollMs: 250,

    async create(request): Promise<RenderAnswer> {
      const { taskId } = request
      if (!jobs.has(taskId)) {
        jobs.set(taskId, { kind: 'rendering', percent: 0 })
        render(request).then(
          () => jobs.delete(taskId),
          (error: Error) => jobs.set(taskId, { kind: 'failed', code: 'provider_failed', detail: error.message }),
        )
      }
      return { kind: 'accepted', jobId: taskId }
    },

    async state(jobId): Promise<RenderState> {
      const job = jobs.get(jobId)
      if (job) return job
      return (await exists(fileOf(jobId))) ? { kind: 'finished' } : { kind: 'unknown' }
    },

    fetch: (jobId, file) => copyFile(fileOf(jobId), file),

    async forget(jobId) {
      jobs.delete(jobId)
      await rm(fileOf(jobId), { force: true })
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
