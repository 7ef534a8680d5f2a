import { stat } from 'node:fs/promises'
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
  /** Whether to take the key frame before the position, which saves decoding, unless it has a single colour. For JPEG. */
  nearby?: boolean
}> &
  Omit<RunOptions, 'onTime'>

/** A JPEG of one colour, such as the black with which some films begin, takes half of this; a picture five times as much. */
const MIN_BITS_PER_PIXEL = 0.1

/** Options of the input that make ffmpeg decode only the key frame before the position. Times stay those of the film. */
const KEY_FRAME = ['-threads', '1', '-skip_frame', 'nokey', '-noaccurate_seek', '-copyts']

/**
 * Writes one frame of a video as JPEG, or as WebP if `outPath` ends in `.webp`.
 * @example await makePoster('video.mp4', 'poster.jpg', { at: 2 })
 */
export async function makePoster(videoPath: string, outPath: string, options: PosterOptions = {}): Promise<void> {
  const { at = 1, width = 640, signal, ffmpegPath, nearby = false } = options
  const video = options.video ?? (await probeMp4(videoPath))
  const moment = Math.max(0, Math.min(at, video.duration - 2 / video.fps))
  const codec = outPath.endsWith('.webp')
    ? ['-c:v', 'libwebp', '-quality', '82']
    : ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p']
  const write = (part: string, seek: readonly string[] = []) =>
    runFfmpeg(
      [
        ...[...seek, '-f', 'mov', '-ss', moment.toFixed(3), '-i', videoPath, '-frames:v', '1'],
        ...['-vf', `scale=${width}:-2:flags=lanczos`, ...codec, '-f', 'image2', '-update', '1', part],
      ],
      { signal, ffmpegPath },
    )
  const minBytes = (MIN_BITS_PER_PIXEL / 8) * width * width * (video.height / video.width)
  await writeAtomically(outPath, async (part) => {
    if (nearby) await write(part, KEY_FRAME)
    // Some decoders skip all frames.
    const size = nearby
      ? await stat(part).then(
          ({ size }) => size,
          () => 0,
        )
      : 0
    if (size < minBytes) await write(part)
  })
}
