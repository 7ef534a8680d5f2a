import { stat, writeFile } from 'node:fs/promises'
import { removeFile, writeAtomically } from './atomicFile.ts'
import { type RunOptions, runFfmpeg } from './ffmpeg.ts'
import { readKeyFrame } from './keyFrame.ts'
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

/** Options of the input for a film of one frame. */
const KEY_FRAME = ['-nofind_stream_info', '-threads', '1', '-f', 'mov', '-i']

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
    ...['-frames:v', '1', '-threads', '1', '-vf', `scale=${width}:-2:flags=lanczos`],
    ...[...codec, '-f', 'image2', '-update', '1', part],
  ]
  const minBytes = (MIN_BITS_PER_PIXEL / 8) * width * width * (video.height / video.width)
  await writeAtomically(outPath, async (part) => {
    // A damaged index is a fault of the run below.
    const frame = nearby ? await readKeyFrame(videoPath, moment).catch(() => undefined) : undefined
    if (frame) {
      const framePath = `${part}.mp4`
      try {
        await writeFile(framePath, frame)
        // A frame that cannot be decoded alone is a fault of the run below, too.
        await runTogether({ input: [...KEY_FRAME, framePath], output: output(part) }, { signal, ffmpegPath }).catch(
          () => {},
        )
      } finally {
        await removeFile(framePath)
      }
      const { size } = await stat(part).catch(() => ({ size: 0 }))
      if (size >= minBytes) return
    }
    await runFfmpeg([...input, ...output(part)], { signal, ffmpegPath })
  })
}
