import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { runProgram } from '../kernel/processes/runProgram.ts'
import { RecoveryError } from './recovery/manifest.ts'

/** Exit code of the program for a copy that cannot be restored. */
export const UNUSABLE = 3
/** Generous: the next copy is due a day later. */
const TIMEOUT_S = 12 * 3_600
/** The proof uses the time that requests and renders leave. */
const LOWEST_PRIORITY = 19

/**
 * Proves that a copy can be restored, in a child process: reading, decrypting and comparing all tables would delay the
 * requests that this process serves.
 * @param program reads its options from stdin: `options`, with a `temporaryDir` that is removed when it has ended. Exits
 * with {@link UNUSABLE} and the fault on stdout if the copy cannot be restored.
 * @throws RecoveryError naming the first fault; the signal's reason
 */
export async function proveInChild(
  program: string,
  options: object,
  parent: string,
  signal: AbortSignal,
): Promise<void> {
  const order = {
    program: process.execPath,
    args: [program],
    env: process.env,
    limits: { cpuSeconds: TIMEOUT_S, niceness: LOWEST_PRIORITY },
    timeoutMs: TIMEOUT_S * 1_000,
  }
  const output: Uint8Array[] = []
  const onOutput = (piece: Uint8Array) => output.push(piece)
  const temporaryDir = await mkdtemp(path.join(parent, 'drill-'))
  try {
    const input = Buffer.from(JSON.stringify({ ...options, temporaryDir }))
    const { code, killedBy, errors } = await runProgram(order, { input, signal, onOutput })
    if (code === UNUSABLE) throw new RecoveryError(Buffer.concat(output).toString())
    if (code !== 0) throw new Error(`The proof of the copy ended with ${killedBy ?? code}: ${errors}`)
  } finally {
    await rm(temporaryDir, { recursive: true, force: true })
  }
}
