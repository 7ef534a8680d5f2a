import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { removeFile } from './atomicFile.ts'
import { type RunOptions, runFfmpeg } from './ffmpeg.ts'

/**
 * Seconds before the end from which frames are decoded; the last one remains. The sound of a video may be longer than its
 * pictures, so the end may have none.
 */
const TAILS_S = [1, 5, 3_600]

/**
 * Returns the last frame of a video as JPEG, in the size of the video.
 * @example await readLastFrame('video.mp4', temporaryDir)
 */
export async function readLastFrame(
  video: string,
  temporaryDir: string,
  { ffmpegPath, signal }: Omit<RunOptions, 'onTime'> = {},
): Promise<Buffer> {
  const out = path.join(temporaryDir, `${randomUUID()}.jpg`)
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
    return await readFile(out)
  } finally {
    await removeFile(out)
  }
}
