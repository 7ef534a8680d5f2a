import { copyFile } from 'node:fs/promises'
import type { RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'

/** A test double that returns a tiny prepared video instead of rendering one. */
export interface ProviderDouble extends VideoProvider {
  readonly asked: RenderRequest[]
  /** Returns the state of a job. Tests can replace it. */
  answer: (jobId: string) => RenderState
}

export async function createProviderDouble(): Promise<ProviderDouble> {
  const video = await makeTinyVideo()
  const asked: RenderRequest[] = []
  const double: ProviderDouble = {
    name: 'double',
    idempotent: true,
    cancels: true,
    pollIntervalMs: 10,
    asked,
    acquire: async () => 0,
    answer: () => ({ kind: 'finished' }),
    async create(request) {
      asked.push(request)
      return { kind: 'accepted', jobId: request.taskId }
    },
    async state(jobId) {
      return double.answer(jobId)
    },
    fetch: (_, file) => copyFile(video, file),
    cancel: async () => 'cancelled',
    discard: async () => {},
    check: async () => ({ ok: true, detail: 'A double.' }),
    close: async () => {},
  }
  return double
}
