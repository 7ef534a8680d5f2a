import { writeAtomically } from './atomicFile.ts'
import { type RunOptions, runFfmpeg } from './ffmpeg.ts'
import { probeMp4, type VideoInfo } from './probeMp4.ts'

type PosterOptions = Readonly<{
  /** Position in seconds, clamped to the end of the video. */
  at?: number
  /** Width in pixels; the height preserves the aspect ratio. */
  width?: number
  /** Properties of the video, if they are known. */
  video?: VideoInfo
}> &
  Omit<RunOptions, 'onTime'>

/**
 * Writes one frame of a video as JPEG, or as WebP if `outPath` ends in `.webp`.
 * @example await makePoster('video.mp4', 'poster.jpg', { at: 2 })
 */
export async function makePoster(videoPath: string, outPath: string, options: PosterOptions = {}): Promise<void> {
  const { at = 1, width = 640, signal, ffmpegPath } = options
  const video = options.video ?? (await probeMp4(videoPath))
  const moment = Math.max(0, Math.min(at, video.duration - 2 / video.fps))
  const codec = outPath.endsWith('.webp')
    ? ['-c:v', 'libwebp', '-quality', '82']
    : ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p']
  await writeAtomically(outPath, (part) =>
    runFfmpeg(
      [
        ...['-f', 'mov', '-ss', moment.toFixed(3), '-i', videoPath, '-frames:v', '1'],
        ...['-vf', `scale=${width}:-2:flags=lanczos`, ...codec, '-f', 'image2', '-update', '1', part],
      ],
      { signal, ffmpegPath },
    ),
  )
}
