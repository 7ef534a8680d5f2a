import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Ended, Order, RunOptions } from './runHere.ts'

export type MessageToLauncher = Readonly<{ id: number }> &
  (
    | Readonly<{ type: 'input'; piece: Uint8Array }>
    | Readonly<{ type: 'run'; order: Order }>
    | Readonly<{ type: 'abort' }>
  )

export type MessageFromLauncher = Readonly<{ id: number }> &
  (
    | Readonly<{ type: 'output'; piece: Uint8Array }>
    | Readonly<{ type: 'ended'; ended: Ended }>
    | Readonly<{ type: 'failed'; message: string }>
  )

type Run = Readonly<{
  onOutput: RunOptions['onOutput']
  resolve: (ended: Ended) => void
  reject: (error: Error) => void
}>

const LAUNCHER = fileURLToPath(new URL('./launcherProgram.ts', import.meta.url))
/** Input is copied in pieces of this size, each in its own turn of the event loop. */
const PIECE_BYTES = 256 * 1024

const runs = new Map<number, Run>()
let launcher: ChildProcess | undefined
let lastId = 0

/**
 * Runs a program with limits and a lower priority until it exits. A small process, the launcher, starts it: starting a
 * program copies the page tables of the process that starts it, which blocks the event loop of a server for 5 to 15 ms.
 * The launcher starts with the first program, or with {@link prepareLauncher}, and kills its programs when this process ends.
 * docs/decisions/0042-launcher.md.
 * @throws Error the program cannot be started, or the launcher ended; the signal's reason
 * @example const { code } = await runProgram({ program: '/usr/bin/ffmpeg', args: ['-version'], env: {}, limits, timeoutMs: 5000 })
 */
export async function runProgram(order: Order, { input, signal, onOutput }: RunOptions = {}): Promise<Ended> {
  signal?.throwIfAborted()
  const id = ++lastId
  const to = launcher ?? startLauncher()
  const ended = new Promise<Ended>((resolve, reject) => runs.set(id, { onOutput, resolve, reject }))
  // Awaited below, after the input has been sent.
  ended.catch(() => {})
  to.ref()
  to.channel?.ref()
  const abort = () => send(to, { id, type: 'abort' }).catch(() => {})
  try {
    for (let at = 0; input && at < input.length; at += PIECE_BYTES)
      await send(to, { id, type: 'input', piece: input.subarray(at, at + PIECE_BYTES) })
    await send(to, { id, type: 'run', order })
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) void abort()
    const result = await ended
    signal?.throwIfAborted()
    return result
  } finally {
    signal?.removeEventListener('abort', abort)
    runs.delete(id)
    if (runs.size === 0) release(to)
  }
}

/**
 * Starts the launcher before the first program needs it. Starting it blocks the event loop until the system has found
 * time for the new process, on a busy machine for hundreds of milliseconds.
 */
export function prepareLauncher(): void {
  const child = launcher ?? startLauncher()
  if (runs.size === 0) release(child)
}

/** Lets this process end although its launcher runs. */
function release(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

function startLauncher(): ChildProcess {
  const child = fork(LAUNCHER, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=64'],
    env: {},
  })
  child.on('message', (message: MessageFromLauncher) => {
    const run = runs.get(message.id)
    if (message.type === 'output') run?.onOutput?.(message.piece)
    else if (message.type === 'ended') run?.resolve(message.ended)
    else run?.reject(new Error(message.message))
  })
  const fail = (reason: string) => {
    if (launcher !== child) return
    launcher = undefined
    for (const { reject } of runs.values()) reject(new Error(`The launcher of programs ended: ${reason}`))
  }
  child.once('error', ({ message }) => fail(message))
  child.once('exit', (code, killedBy) => fail(String(killedBy ?? code)))
  launcher = child
  return child
}

const send = (to: ChildProcess, message: MessageToLauncher) =>
  new Promise<void>((resolve, reject) => to.send(message, (error) => (error ? reject(error) : resolve())))
