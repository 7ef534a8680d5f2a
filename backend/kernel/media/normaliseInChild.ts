import { spawn } from 'node:child_process'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ImageError, inspectWholeImage } from './firstFrame.ts'

const CHILD = path.join(import.meta.dirname, 'normaliseImage.ts')
/** Limits memory use: decoding an image may take 300 MB. */
const MAX_CHILDREN = 2
const TIMEOUT_MS = 30_000

let running = 0
const waiting: (() => void)[] = []

/**
 * Normalises an image like `normaliseImage`, in a child process, so that its memory is returned to the system and a
 * file that crashes the decoder does not crash the server. @throws ImageError
 * @example const jpeg = await normaliseInChild(upload)
 */
export async function normaliseInChild(image: Buffer): Promise<Buffer> {
  inspectWholeImage(image)
  if (running >= MAX_CHILDREN) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await runChild(image)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

async function runChild(image: Buffer): Promise<Buffer> {
  const child = spawn(process.execPath, [CHILD], {
    // Keeps secrets out of the process that decodes untrusted files.
    env: {},
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  // A child that exits before reading all input closes the pipe. Its exit code is checked below.
  child.stdin.on('error', () => {})
  child.stdin.end(image)
  const [code, data] = await Promise.all([ended, buffer(child.stdout)])
  if (code !== 0) throw new ImageError('image_damaged', 'The picture could not be decoded')
  return data
}
