import { writeAtomically } from './atomicFile.ts'
import { h264Arguments, type RunOptions, runFfmpeg } from './ffmpeg.ts'

/** Drops what programs write into the file as a whole, its streams and its chapters. */
const NO_METADATA = ['-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1']
const STREAMS = ['-map', '0:v:0', '-map', '0:a:0?']

interface CopyOptions extends Pick<RunOptions, 'signal' | 'ffmpegPath'> {
  /** Whether to encode as H.264, for a file that is no MP4. */
  readonly encode: boolean
}

/**
 * Copies a video to an MP4 file without its metadata.
 * @example await copyWithoutMetadata('comfyui.mp4', 'video.mp4', { encode: false })
 */
export async function copyWithoutMetadata(
  file: string,
  out: string,
  { encode, ...options }: CopyOptions,
): Promise<void> {
  const codecs = encode
    ? [...h264Arguments({ fps: 24 }), '-c:a', 'aac']
    : ['-c', 'copy', '-movflags', '+faststart', '-f', 'mp4']
  await writeAtomically(out, (part) => runFfmpeg(['-i', file, ...STREAMS, ...NO_METADATA, ...codecs, part], options))
}
