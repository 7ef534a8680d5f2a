import { writeAtomically } from './atomicFile.ts'
import { h264Arguments, type RunOptions, runFfmpeg } from './ffmpeg.ts'

/** Returns the path of a frame, counted from 1. */
export const framePath = (folder: string, frame: number, extension: string): string =>
  `${folder}/${String(frame).padStart(5, '0')}.${extension}`

/**
 * Makes an MP4 file of the pictures of a folder, which are named by {@link framePath}.
 * @example await filmFromFrames('frames', 'png', 'film.mp4', { fps: 16 })
 */
export async function filmFromFrames(
  folder: string,
  extension: string,
  out: string,
  { fps, ...options }: Pick<RunOptions, 'signal' | 'ffmpegPath'> & { readonly fps: number },
): Promise<void> {
  // In the pattern, a percent sign of the path is written twice.
  const pattern = `${folder.replaceAll('%', '%%')}/%05d.${extension}`
  // H.264 needs an even number of pixels.
  const even = ['-vf', 'scale=trunc(iw/2)*2:trunc(ih/2)*2']
  const input = ['-framerate', String(fps), '-f', 'image2', '-i', pattern, '-map_metadata', '-1', ...even]
  await writeAtomically(out, (part) => runFfmpeg([...input, ...h264Arguments({ fps }), part], options))
}
