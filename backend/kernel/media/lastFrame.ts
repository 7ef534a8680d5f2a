import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { removeFile } from './atomicFile.ts'
import { type RunOptions, runFfmpeg } from './ffmpeg.ts'

/** Seconds before the end from which frames are decoded; the last one remains. */
const TAIL_S = 1

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
  try {
    await runFfmpeg(
      ['-f', 'mov', '-sseof', String(-TAIL_S), '-i', video, '-an', ...quality, '-f', 'image2', '-update', '1', out],
      { ffmpegPath, signal },
    )
    return await readFile(out)
  } finally {
    await removeFile(out)
  }
}
