import path from 'node:path'
import { runProgram } from '../processes/runProgram.ts'

const CHILD = path.join(import.meta.dirname, 'stamps.ts')
/** Generous: drawing takes a fraction of a second. */
const LIMITS = { cpuSeconds: 20 }
const TIMEOUT_MS = 60_000
/** Videos have a handful of sizes. */
const MAX_DRAWN = 16

const drawn = new Map<string, Promise<Buffer>>()

/** A visible mark for videos whose shorter side is `side` pixels. */
export type Stamp = Readonly<{ kind: 'watermark'; text: string; side: number } | { kind: 'label'; side: number }>

/**
 * Draws a stamp as a PNG in a child process, because the canvas would keep 24 MB in this one. Remembers stamps.
 * @example const png = await drawInChild({ kind: 'label', side: 720 })
 */
export function drawInChild(stamp: Stamp): Promise<Buffer> {
  const key = JSON.stringify(stamp)
  const known = drawn.get(key)
  if (known) return known
  if (drawn.size >= MAX_DRAWN) drawn.clear()
  const drawing = draw(key)
  drawn.set(key, drawing)
  // Failures are not remembered.
  drawing.catch(() => drawn.delete(key))
  return drawing
}

async function draw(stamp: string): Promise<Buffer> {
  const order = { program: process.execPath, args: [CHILD, stamp], env: {}, limits: LIMITS, timeoutMs: TIMEOUT_MS }
  const output: Uint8Array[] = []
  const { code, killedBy, errors } = await runProgram(order, { onOutput: (piece) => output.push(piece) })
  if (code !== 0) throw new Error(`drawing a stamp ended with ${killedBy ?? code}: ${errors}`)
  return Buffer.concat(output)
}
