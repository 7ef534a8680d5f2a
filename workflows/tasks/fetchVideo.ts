import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { removeFile } from '#backend/kernel/media/atomicFile.ts'
import { cropVideo } from '#backend/kernel/media/cropVideo.ts'
import type { MarkedFilm, Part } from '#backend/kernel/media/marks/createMarker.ts'
import { posterKey, videoKey } from '#backend/kernel/media/mediaStore.port.ts'
import { makePoster } from '#backend/kernel/media/poster.ts'
import { probeMp4, refuseUnplayable, type VideoInfo } from '#backend/kernel/media/probeMp4.ts'
import { sha256OfFile } from '#backend/kernel/media/sha256.ts'
import type { VideoFile } from '#backend/tasks/events.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import type { Finishing } from './rendering.ts'
import type { ActivityDeps } from './taskCommands.ts'

type FetchDeps = Pick<ActivityDeps, 'media' | 'marker' | 'temporaryDir' | 'ffmpegPath'> & {
  readonly finishing: Finishing
}

type FetchJob = MarkedFilm &
  Readonly<{ jobId: string; ratio?: string | undefined; clips?: readonly string[] | undefined }>

/**
 * Downloads a finished video, checks it, cuts it to `ratio`, marks it, and stores it with a poster. Films of which it has parts are named by
 * `clips`. Returns what is stored: the size and the
 * hash are those of the marked file. @throws UnplayableVideoError
 */
export async function fetchVideo(
  { media, marker, temporaryDir, ffmpegPath, finishing }: FetchDeps,
  provider: Pick<VideoProvider, 'fetch'>,
  { jobId, ratio, clips = [], ...film }: FetchJob,
  signal: AbortSignal,
): Promise<VideoFile> {
  const { taskId } = film
  const describeStored = async () => {
    if ((await media.size(videoKey(taskId))) === undefined) return undefined
    const stored = await media.localPath(videoKey(taskId))
    return describe(await probeMp4(stored), await sha256OfFile(stored))
  }
  const earlier = await describeStored()
  if (earlier) return earlier
  const file = path.join(temporaryDir, `${randomUUID()}.mp4`)
  const still = `${file}.jpg`
  let isStored = false
  try {
    await provider.fetch(jobId, file, signal)
    await refuseUnplayable(file)
    return await finishing.run(async () => {
      if (ratio) await cropVideo(file, ratio, { signal, ffmpegPath })
      // Before anything else reads the file: this also joins the fragments of a fragmented one.
      const { sha256 } = await marker.markVideo(file, film, { signal, parts: await partsOf(media, clips) })
      const video = await probeMp4(file)
      await makePoster(file, still, { video, at: video.duration / 3, nearby: true, signal, ffmpegPath })
      await marker.markPoster(still, film)
      // Another worker may have stored it since, and its hash may already be in the log.
      const other = await describeStored()
      if (other) return other
      await media.put(posterKey(taskId), still)
      await media.put(videoKey(taskId), file)
      isStored = true
      return describe(video, sha256)
    })
  } finally {
    for (const left of isStored ? [] : [file, still]) await removeFile(left)
  }
}

/** Returns the parts of a joined film that still exist. */
async function partsOf(media: FetchDeps['media'], taskIds: readonly string[]): Promise<Part[]> {
  const parts: Part[] = []
  for (const taskId of new Set(taskIds))
    if ((await media.size(videoKey(taskId))) !== undefined)
      parts.push({ taskId, file: await media.localPath(videoKey(taskId)) })
  return parts
}

const describe = ({ size, duration, width, height }: VideoInfo, sha256: string): VideoFile => ({
  ...{ size, durationMs: Math.round(duration * 1000), width, height, sha256 },
})
