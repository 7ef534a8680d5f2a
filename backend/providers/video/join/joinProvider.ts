import { randomUUID } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { JOIN } from '#backend/tasks/contract.ts'
import type { CreateAnswer, RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { removeFile } from '../../../kernel/media/atomicFile.ts'
import { joinVideos } from '../../../kernel/media/joinVideos.ts'
import { type MediaStore, videoKey } from '../../../kernel/media/mediaStore.port.ts'
import { Pool } from '../../../kernel/pool.ts'

interface JoinOptions {
  readonly media: MediaStore
  readonly temporaryDir: string
  readonly ffmpegPath: string | undefined
  /** Returns whether the film of a task may still be delivered. */
  readonly isExpected: (taskId: string) => Promise<boolean>
}

type Job = {
  state: Extract<RenderState, { kind: 'queued' | 'rendering' | 'failed' }>
  readonly cancel: AbortController
}

/** A clip of the film was deleted. */
class ClipMissing extends Error {}

const joinedKey = (taskId: string) => `joined/${taskId}.mp4`

/**
 * Creates the provider of joined films, one at a time in each process. The job id is the task id. The finished file is in the
 * media store until the task has ended: every process can deliver it, and after a kill another one starts again.
 */
export function createJoiner(options: JoinOptions): VideoProvider {
  const { media } = options
  const jobs = new Map<string, Job>()
  const pool = new Pool(1)
  const closed = new AbortController()

  const run = async (request: RenderRequest, job: Job) => {
    const signal = AbortSignal.any([closed.signal, job.cancel.signal])
    const onProgress = (percent: number) => {
      job.state = { kind: 'rendering', percent }
    }
    await pool.run({}, async () => {
      signal.throwIfAborted()
      onProgress(0)
      await storeJoined(options, request, { signal, onProgress })
    })
  }

  const start = (request: RenderRequest) => {
    const job: Job = { state: { kind: 'queued' }, cancel: new AbortController() }
    jobs.set(request.taskId, job)
    run(request, job).then(
      () => jobs.get(request.taskId) === job && jobs.delete(request.taskId),
      (error: Error) => {
        const code = error instanceof ClipMissing ? 'clip_missing' : 'provider_failed'
        job.state = { kind: 'failed', code, detail: error.message }
      },
    )
  }

  const stop = (jobId: string) => {
    jobs.get(jobId)?.cancel.abort()
    return jobs.delete(jobId)
  }

  return {
    name: JOIN,
    idempotent: true,
    cancels: true,
    ignoresOptimizer: true,
    ownQueue: true,
    pollIntervalMs: 250,
    acquire: async () => 0,

    async create(request): Promise<CreateAnswer> {
      if (!jobs.has(request.taskId)) start(request)
      return { kind: 'accepted', jobId: request.taskId }
    },

    async state(jobId): Promise<RenderState> {
      const job = jobs.get(jobId)
      if (job) return job.state
      return { kind: (await media.size(joinedKey(jobId))) === undefined ? 'unknown' : 'finished' }
    },

    fetch: async (jobId, file) => copyFile(await media.localPath(joinedKey(jobId)), file),

    cancel: async (jobId) => (stop(jobId) ? 'cancelled' : 'too_late'),

    async discard(taskId) {
      stop(taskId)
      await media.remove(joinedKey(taskId))
    },

    check: async () => ({ ok: true, detail: 'Videos are joined on this machine.' }),

    close: async () => closed.abort(),
  }
}

/** Joins the clips of a request and stores the film. @throws ClipMissing */
async function storeJoined(
  { media, temporaryDir, ffmpegPath, isExpected }: JoinOptions,
  { taskId, join }: RenderRequest,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (percent: number) => void },
): Promise<void> {
  const out = path.join(temporaryDir, `${randomUUID()}.mp4`)
  const clips = []
  for (const clip of join?.clips ?? []) clips.push(await readClip(media, clip))
  try {
    await joinVideos(clips, out, { fade: join?.fade ?? 0, temporaryDir, ffmpegPath, signal, onProgress })
    await media.put(joinedKey(taskId), out)
    // It was discarded while it was stored, or before, by a process that does not know of this job.
    const isLate = signal.aborted || !(await isExpected(taskId).catch(() => true))
    if (isLate) await media.remove(joinedKey(taskId))
  } finally {
    await removeFile(out)
  }
}

/** Returns the file and the cut of a clip. @throws ClipMissing */
async function readClip(media: MediaStore, { taskId, start, end }: { taskId: string; start: number; end: number }) {
  if ((await media.size(videoKey(taskId))) === undefined) throw new ClipMissing(`The video ${taskId} is missing.`)
  return { file: await media.localPath(videoKey(taskId)), start, end }
}
