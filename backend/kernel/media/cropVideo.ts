import { rename } from 'node:fs/promises'
import { removeFile } from './atomicFile.ts'
import { h264Arguments, type RunOptions, runFfmpeg } from './ffmpeg.ts'

const FPS = 25

/** Cuts a video to a ratio such as `9:16`, around its middle, and keeps its sound. See docs/decisions/0078-cut-to-a-ratio.md. */
export async function cropVideo(file: string, ratio: string, options: Omit<RunOptions, 'onTime'>): Promise<void> {
  const [across = 16, down = 9] = ratio.split(':').map(Number)
  const even = (pixels: string) => `'trunc((${pixels})/2)*2'`
  const crop = `crop=${even(`min(iw,ih*${across}/${down})`)}:${even(`min(ih,iw*${down}/${across})`)}`
  const cropped = `${file}.cropped.mp4`
  try {
    await runFfmpeg(
      ['-f', 'mov', '-i', file, '-vf', crop, ...h264Arguments({ fps: FPS, crf: 17 }), '-c:a', 'copy', cropped],
      options,
    )
    await rename(cropped, file)
  } finally {
    await removeFile(cropped)
  }
}
