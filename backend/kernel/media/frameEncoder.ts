import { rename } from 'node:fs/promises'
import { partPath, removeFile } from './atomicFile.ts'
import { findFfmpeg, type H264Options, h264Arguments, type RunOptions, startFfmpeg, untilExit } from './ffmpeg.ts'

type FrameEncoderOptions = Omit<H264Options, 'threads'> &
  Omit<RunOptions, 'onTime'> &
  /** Width and height in pixels; must be even for 4:2:0. */
  Readonly<{ out: string; width: number; height: number }>

/**
 * Encodes RGBA frames as an H.264 MP4. The file gets its name only when complete; `abort()`, an error or an aborted
 * signal removes it.
 * @example
 * const encoder = await FrameEncoder.open({ out: 'video.mp4', width: 1280, height: 720, fps: 24 })
 * await encoder.write(rgba)
 * await encoder.finish()
 */
export class FrameEncoder {
  readonly #options: FrameEncoderOptions
  readonly #process: ReturnType<typeof startFfmpeg>
  readonly #part: string
  readonly #ended: Promise<void>
  readonly #kill = () => this.#process.kill('SIGKILL')

  static async open(options: FrameEncoderOptions): Promise<FrameEncoder> {
    options.signal?.throwIfAborted()
    const program = await findFfmpeg(options.ffmpegPath)
    options.signal?.throwIfAborted()
    return new FrameEncoder(program, options)
  }

  private constructor(program: string, options: FrameEncoderOptions) {
    this.#options = options
    this.#part = partPath(options.out)
    this.#process = startFfmpeg(
      program,
      encoderArguments(options, this.#part),
      ['pipe', 'ignore', 'pipe'],
      options.limits,
    )
    // `write` reports a broken pipe. Without a handler, the stream's error event would crash this process.
    this.#process.stdin.on('error', () => {})
    this.#ended = untilExit(this.#process)
    this.#ended.catch(() => {})
    options.signal?.addEventListener('abort', this.#kill, { once: true })
  }

  /** Writes one frame. Resolves when the encoder has read it; await it to limit the frames in memory. */
  write(rgba: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ended.catch(reject)
      // ffmpeg's own error is more useful than the broken pipe.
      this.#process.stdin.write(rgba, (error) => (error ? this.#ended.then(() => reject(error), reject) : resolve()))
    })
  }

  /** Waits until the file is complete and renames it to `out`. */
  async finish(): Promise<void> {
    try {
      this.#process.stdin.end()
      await this.#ended
      this.#options.signal?.throwIfAborted()
      await rename(this.#part, this.#options.out)
    } catch (error) {
      await removeFile(this.#part)
      throw error
    } finally {
      this.#options.signal?.removeEventListener('abort', this.#kill)
    }
  }

  /** Kills the encoder and removes its file. Safe to call after a failure. */
  async abort(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#kill)
    this.#kill()
    await this.#ended.catch(() => {})
    await removeFile(this.#part)
  }
}

function encoderArguments(options: FrameEncoderOptions, part: string): string[] {
  const { width, height, fps, crf, preset } = options
  return [
    ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${width}x${height}`, '-r', String(fps), '-i', 'pipe:0', '-an'],
    ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv:flags=bilinear+accurate_rnd,format=yuv420p'],
    ...h264Arguments({ fps, ...(crf !== undefined && { crf }), ...(preset && { preset }) }),
    part,
  ]
}
