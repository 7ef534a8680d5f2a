import path from 'node:path'
import { runProgram } from '../processes/runProgram.ts'
import type { CropEdges } from './contract.ts'
import { ImageError, inspectImage, inspectWholeImage, isImageErrorCode } from './firstFrame.ts'

const CHILD = path.join(import.meta.dirname, 'normaliseImage.ts')
/** Limits memory use: decoding an image may take 400 MB. */
const MAX_CHILDREN = 2
/** An upload uses the time that requests and renders leave. */
const LOWEST_PRIORITY = 19
/**
 * One thread at a time, for the same CPU time. With more, a decoder keeps every core of a small machine busy, and the
 * server's main thread and PostgreSQL wait for one.
 */
const ONE_THREAD = { args: ['--v8-pool-size=0', '--single-threaded'], env: { UV_THREADPOOL_SIZE: '1' } }
/** Generous, because the CPU may be busy. */
const TIMEOUT_MS = 30_000
/** Files that this process inspects whole, in a few milliseconds, to save a child. */
const SMALL_BYTES = 256 * 1024

/** Thrown when decoding an image took too long, which says nothing about the image. */
export class ImageTimeout extends Error {
  override name = 'ImageTimeout'
}

type ChildOptions = Readonly<{
  crop?: CropEdges
  /** Kills the child when aborted. */
  signal?: AbortSignal
  /** CPU time of the child. Any accepted picture takes under two seconds. */
  cpuSeconds?: number
  /** Program that reads an image from stdin and writes a JPEG to stdout. */
  program?: string
}>

let running = 0
const waiting: (() => void)[] = []

/**
 * Normalises an image like `normaliseImage`, in a child process with limits, so that its memory is returned to the
 * system and a file that crashes the decoder does not crash the server. Two run at a time; the caller bounds the queue.
 * @throws ImageError, ImageTimeout; the signal's reason
 * @example const jpeg = await normaliseInChild(upload, { signal })
 */
export async function normaliseInChild(image: Buffer, options: ChildOptions = {}): Promise<Buffer> {
  const inspect = image.length > SMALL_BYTES ? inspectImage : inspectWholeImage
  inspect(image, options.crop)
  if (running >= MAX_CHILDREN) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    options.signal?.throwIfAborted()
    return await runChild(image, options)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

async function runChild(
  image: Buffer,
  { crop, signal, cpuSeconds = 5, program = CHILD }: ChildOptions,
): Promise<Buffer> {
  const limits = { cpuSeconds, niceness: LOWEST_PRIORITY }
  const args = [...ONE_THREAD.args, program, ...(crop ? [JSON.stringify(crop)] : [])]
  const { env } = ONE_THREAD
  const order = { program: process.execPath, args, env, limits, timeoutMs: TIMEOUT_MS }
  const output: Uint8Array[] = []
  const onOutput = (piece: Uint8Array) => output.push(piece)
  const { code, killedBy } = await runProgram(order, { input: image, signal, onOutput })
  const data = Buffer.concat(output)
  if (code === 0) return data
  // The limits kill with SIGKILL or SIGXCPU; a decoder that crashes ends with another signal.
  if (killedBy === 'SIGKILL' || killedBy === 'SIGXCPU') throw new ImageTimeout('decoding the picture took too long')
  const fault = data.toString()
  throw new ImageError(isImageErrorCode(fault) ? fault : 'image_damaged', 'The picture could not be decoded')
}
