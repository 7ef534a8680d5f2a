import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { copyWithoutMetadata } from '#backend/kernel/media/copyWithoutMetadata.ts'
import { filmFromFrames, framePath } from '#backend/kernel/media/filmFromFrames.ts'
import { UndeliverableVideo } from '#backend/tasks/videoProvider.port.ts'
import { downloadVideo } from '../downloadVideo.ts'
import type { ComfyuiClient } from './comfyuiClient.ts'
import { type File, framesOf, type Job, videoOf } from './comfyuiJob.ts'

export interface FilmAccess {
  readonly client: Pick<ComfyuiClient, 'viewUrl'>
  readonly baseUrl: string
  readonly guard: Guard
  readonly headers: Readonly<Record<string, string>>
  readonly stallTimeoutMs: number
  readonly ffmpegPath: string | undefined
}

/**
 * Downloads what a job saved as an MP4 file: a video, which is converted if it has another format, or the frames of one.
 * @param output node that saves it; undefined: any
 * @throws UndeliverableVideo
 */
export async function fetchFilm(
  { client, guard, baseUrl, headers, stallTimeoutMs, ffmpegPath }: FilmAccess,
  job: Job,
  { output, fps }: { readonly output: string | undefined; readonly fps: number },
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const original = `${file}.original`
  const download = (saved: File, to: string) =>
    downloadVideo(async () => ({ url: client.viewUrl(saved) }), to, {
      guard,
      engine: baseUrl,
      headers,
      signal,
      stallTimeoutMs,
    })
  const video = videoOf(job, output)
  const frames = framesOf(job, output)
  if (!video && frames.length === 0) throw new UndeliverableVideo('ComfyUI has no video of this job')
  try {
    if (video) {
      await download(video, original)
      // ComfyUI writes the whole graph, with the prompt, into the file.
      await copyWithoutMetadata(original, file, { encode: !/\.mp4$/i.test(video.filename), signal, ffmpegPath })
      return
    }
    const extension = path.extname(frames[0]!.filename).slice(1)
    await mkdir(original, { recursive: true })
    for (const [n, frame] of frames.entries()) await download(frame, framePath(original, n + 1, extension))
    await filmFromFrames(original, extension, file, { fps, signal, ffmpegPath })
  } finally {
    await rm(original, { recursive: true, force: true })
  }
}
