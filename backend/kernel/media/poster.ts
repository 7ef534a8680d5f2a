import { stat } from 'node:fs/promises'
import { writeAtomically } from './atomicFile.ts'
import { type RunOptions, runFfmpeg } from './ffmpeg.ts'
import { probeMp4, type VideoInfo } from './probeMp4.ts'
import { runTogether } from './runTogether.ts'

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

/**
 * Options of the input that make ffmpeg read and decode only key frames from the one before the position on. It decodes as many as the
 * film reorders. Times stay those of the film.
 */
const KEY_FRAME = [
  ...['-nofind_stream_info', '-discard:v', 'nokey', '-threads', '1', '-skip_frame', 'nokey'],
  ...['-noaccurate_seek', '-copyts'],
]

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
  const input = ['-f', 'mov', '-ss', moment.toFixed(3), '-i', videoPath]
  const output = (part: string) => [
    ...['-frames:v', '1', '-vf', `scale=${width}:-2:flags=lanczos`],
    ...[...codec, '-f', 'image2', '-update', '1', part],
  ]
  const minBytes = (MIN_BITS_PER_PIXEL / 8) * width * width * (video.height / video.width)
  await writeAtomically(outPath, async (part) => {
    if (nearby) {
      await runTogether({ input: [...KEY_FRAME, ...input], output: output(part) }, { signal, ffmpegPath })
      // Some decoders skip all frames.
      const { size } = await stat(part).catch(() => ({ size: 0 }))
      if (size >= minBytes) return
    }
    await runFfmpeg([...input, ...output(part)], { signal, ffmpegPath })
  })
}
