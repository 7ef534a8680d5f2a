import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import { type ProcessLimits, spawnLimited } from './spawnLimited.ts'
import { watchProgress } from './watchProgress.ts'

/** A program to run. Can be sent to another process. */
export type Order = Readonly<{
  program: string
  args: readonly string[]
  /** The whole environment, so that secrets do not reach programs that read untrusted files. */
  env: Readonly<Record<string, string | undefined>>
  limits: ProcessLimits
  /** Wall time after which it is killed. */
  timeoutMs: number
}>

export type RunOptions = Readonly<{
  /** The program's standard input; none by default. */
  input?: Uint8Array | undefined
  /** Kills the program when aborted. */
  signal?: AbortSignal | undefined
  /** Receives the standard output in pieces. */
  onOutput?: ((piece: Uint8Array) => void) | undefined
}>

/** How a program ended. */
export type Ended = Readonly<{
  code: number | null
  killedBy: NodeJS.Signals | null
  /** The end of the standard error, and whether the program was killed because it made no progress. */
  errors: string
}>

const ERRORS_LENGTH = 4000
const IDLE_SECONDS = 60

/** Runs a program as a child of this process. @throws Error it cannot be started */
export async function runHere(order: Order, { input, signal, onOutput }: RunOptions = {}): Promise<Ended> {
  const { program, args, env, limits, timeoutMs } = order
  const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL', stdio: 'pipe' } as const
  const child = spawnLimited(program, args, limits, options) as ChildProcessWithoutNullStreams
  const explain = explainStuck(child, limits)
  const kill = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', kill, { once: true })
  const errors = collectTail(child.stderr)
  child.stdout.on('data', (piece: Uint8Array) => onOutput?.(piece))
  // A program that exits before it has read all input closes the pipe.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, killedBy) => resolve({ code, killedBy, errors: explain(errors()) }))
    })
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}

/** Kills a program that makes no progress. Returns a function that adds this to its errors. */
export function explainStuck(child: ChildProcess, { idleSeconds = IDLE_SECONDS }: ProcessLimits) {
  const isStuck = watchProgress(child, idleSeconds * 1000)
  return (errors: string) => (isStuck() ? `${errors}\nmade no progress for ${idleSeconds} s`.trim() : errors)
}

/** Buffers the last 4000 characters of a stream. Returns a function that reads them. */
export function collectTail(stream: NodeJS.ReadableStream): () => string {
  let tail = ''
  stream.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-ERRORS_LENGTH)
  })
  return () => tail.trim()
}
