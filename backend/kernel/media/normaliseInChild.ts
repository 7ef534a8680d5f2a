import { spawn } from 'node:child_process'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { IMAGE_ERROR_CODES, ImageError, inspectWholeImage } from './firstFrame.ts'

const CHILD = path.join(import.meta.dirname, 'normaliseChild.ts')
/** A decoded picture may take some 300 MB: this many at once. */
const AT_ONCE = 2
const TIMEOUT_MS = 30_000

let running = 0
const waiting: (() => void)[] = []

/**
 * Writes a picture anew as `normaliseImage` does, in a process of its own: what decoding takes of memory goes back with
 * it, and a file that breaks the decoder breaks nothing else. @throws ImageError
 */
export async function normaliseInChild(picture: Buffer): Promise<Buffer> {
  inspectWholeImage(picture)
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go))
  else running++
  try {
    return await decode(picture)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

async function decode(picture: Buffer): Promise<Buffer> {
  // It has no need of our environment, and so of no secret.
  const child = spawn(process.execPath, [CHILD], { env: {}, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' })
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  // A child that ends before it has read everything says why on its way out.
  child.stdin.on('error', () => {})
  child.stdin.end(picture)
  const [code, data, said] = await Promise.all([ended, buffer(child.stdout), text(child.stderr)])
  if (code === 0) return data
  const known = IMAGE_ERROR_CODES.find((name) => name === said)
  throw new ImageError(known ?? 'image_damaged', 'The picture could not be decoded')
}
