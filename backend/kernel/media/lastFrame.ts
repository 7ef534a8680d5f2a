import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { removeFile } from './atomicFile.ts'
import { type RunOptions, runFfmpeg } from './ffmpeg.ts'
import { stampImage } from './stampVideo.ts'

/**
 * Seconds before the end from which frames are decoded; the last one remains. The sound of a video may be longer than its
 * pictures, so the end may have none.
 */
const TAILS_S = [1, 5, 3_600]

/**
 * Returns the last frame of a video as JPEG, in the size of the video, and the same with a watermark.
 * @example const { frame, watermarked } = await readLastFrame('video.mp4', temporaryDir, 'Kinora')
 */
export async function readLastFrame(
  video: string,
  temporaryDir: string,
  watermark: string,
  { ffmpegPath, signal }: Omit<RunOptions, 'onTime'> = {},
): Promise<{ frame: Buffer; watermarked: Buffer }> {
  const out = path.join(temporaryDir, `${randomUUID()}.jpg`)
  const marked = `${out}.marked.jpg`
  const quality = ['-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1']
  const write = (tail: number) =>
    runFfmpeg(
      ['-f', 'mov', '-sseof', String(-tail), '-i', video, '-an', ...quality, '-f', 'image2', '-update', '1', out],
      { ffmpegPath, signal },
    )
  try {
    for (const tail of TAILS_S) {
      await write(tail)
      if (existsSync(out)) break
    }
    await stampImage(out, marked, watermark, { ffmpegPath, signal })
    return { frame: await readFile(out), watermarked: await readFile(marked) }
  } finally {
    for (const left of [out, marked]) await removeFile(left)
  }
}
