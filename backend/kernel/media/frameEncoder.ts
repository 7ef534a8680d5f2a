import { type ChildProcess, spawn } from 'node:child_process'
import { rename, rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { partPath } from './atomicFile.ts'
import { collectTail, findFfmpeg, type H264Options, h264Arguments } from './ffmpeg.ts'

export type FrameEncoderOptions = Readonly<{
  out: string
  /** Pixels; both even, as 4:2:0 asks for. */
  width: number
  height: number
  fps: number
  crf?: number
  preset?: H264Options['preset']
  signal?: AbortSignal | undefined
  ffmpegPath?: string | undefined
}>

/**
 * Turns RGBA frames into an H.264 MP4. The file appears under its name only when it is whole;
 * after `abort()`, an error or the signal nothing is left.
 */
export class FrameEncoder {
  readonly #options: FrameEncoderOptions
  readonly #process: ChildProcess & { stdin: Writable; stderr: Readable }
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
    this.#process = spawn(program, encoderArguments(options, this.#part), { stdio: ['pipe', 'ignore', 'pipe'] })
    const errors = collectTail(this.#process.stderr)
    // A write to a process that died fails in `write`; the stream's own event must not end this process.
    this.#process.stdin.on('error', () => {})
    this.#ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject)
      this.#process.once('close', (code, killedBy) =>
        code === 0 ? resolve() : reject(new Error(`ffmpeg ended with ${killedBy ?? code}: ${errors()}`)),
      )
    })
    this.#ended.catch(() => {})
    options.signal?.addEventListener('abort', this.#kill, { once: true })
  }

  /** Hands over one frame; resolves when the encoder took it, so that awaiting it bounds the frames in memory. */
  write(rgba: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ended.catch(reject)
      // A broken pipe says nothing; what ffmpeg said before it ended does.
      this.#process.stdin.write(rgba, (error) => (error ? this.#ended.then(() => reject(error), reject) : resolve()))
    })
  }

  /** Ends the stream, waits for the file to be whole and gives it its name. */
  async finish(): Promise<void> {
    try {
      this.#process.stdin.end()
      await this.#ended
      this.#options.signal?.throwIfAborted()
      await rename(this.#part, this.#options.out)
    } catch (error) {
      await rm(this.#part, { force: true })
      throw error
    } finally {
      this.#options.signal?.removeEventListener('abort', this.#kill)
    }
  }

  /** Gives up: ends the encoder and removes what it wrote. Safe to call after a failure. */
  async abort(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#kill)
    this.#kill()
    await this.#ended.catch(() => {})
    await rm(this.#part, { force: true })
  }
}

function encoderArguments(options: FrameEncoderOptions, part: string): string[] {
  const { width, height, fps, crf, preset } = options
  return [
    ...['-hide_banner', '-loglevel', 'error', '-y'],
    ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${width}x${height}`, '-r', String(fps), '-i', 'pipe:0', '-an'],
    ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv:flags=bilinear+accurate_rnd,format=yuv420p'],
    ...h264Arguments({ fps, ...(crf !== undefined && { crf }), ...(preset && { preset }) }),
    part,
  ]
}
