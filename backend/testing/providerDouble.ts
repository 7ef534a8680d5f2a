import { execFile } from 'node:child_process'
import { copyFile, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findFfmpeg } from '../media/ffmpeg.ts'
import type { RenderRequest, RenderState, VideoProvider } from '../tasks/videoProvider.ts'

/** A provider of the tests: no renderer behind it, but a real (tiny) video file, and answers that the test decides. */
export interface ProviderDouble extends VideoProvider {
  readonly asked: RenderRequest[]
  /** What is answered about a job; as long as nothing is set, it is rendering. */
  answer: (jobId: string) => RenderState
}

export async function createProviderDouble(): Promise<ProviderDouble> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kinora-double-'))
  const video = path.join(folder, 'video.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=duration=1:size=128x72:rate=24', '-pix_fmt', 'yuv420p']
  await promisify(execFile)(await findFfmpeg(), ['-y', ...source, '-movflags', '+faststart', video])
  const asked: RenderRequest[] = []
  const double: ProviderDouble = {
    name: 'double',
    idempotent: true,
    pollMs: 10,
    asked,
    admit: async () => 0,
    answer: () => ({ kind: 'finished' }),
    async create(request) {
      asked.push(request)
      return { kind: 'accepted', jobId: request.taskId }
    },
    async state(jobId) {
      return double.answer(jobId)
    },
    fetch: (_, file) => copyFile(video, file),
    forget: async () => {},
    close: async () => {},
  }
  return double
}
