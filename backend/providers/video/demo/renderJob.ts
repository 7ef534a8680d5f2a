import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { partPath, removeFile } from '#backend/kernel/media/atomicFile.ts'
import { collectTail } from '#backend/kernel/processes/runHere.ts'
import type { FilmRequest } from '#renderer/film.ts'

/** A video to render. Must be serialisable, because it is sent to a child process. */
export type RenderJob = Omit<FilmRequest, 'picture'> &
  Readonly<{
    /** Path of the picture to animate, a JPEG or PNG file. */
    imagePath?: string
    /** Path of the MP4 file to write. */
    out: string
    ffmpegPath?: string | undefined
  }>

export type RenderResult = Readonly<{
  width: number
  height: number
  /** Seconds. */
  duration: number
  frames: number
  /** Total CPU time of drawing and encoding, in milliseconds. */
  cpuMs: number
}>

export type MessageToChild = Readonly<{ type: 'render'; job: RenderJob }> | Readonly<{ type: 'cancel' }>

export type MessageFromChild =
  | Readonly<{ type: 'progress'; percent: number }>
  | Readonly<{ type: 'frame'; jpeg: Uint8Array }>
  | Readonly<{ type: 'done'; result: RenderResult }>
  | Readonly<{ type: 'failed'; message: string }>

const CHILD = fileURLToPath(new URL('./renderChild.ts', import.meta.url))
const GRACE_MS = 3000
/** Environment variables passed to the child, which decodes untrusted images and must not receive secrets. */
const ALLOWED_ENV = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'LD_LIBRARY_PATH']

export type RenderOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** Receives the progress in percent, which never decreases. */
  onProgress?: (percent: number) => void
  /** Receives small JPEGs of the picture so far. */
  onFrame?: (jpeg: Uint8Array) => void
  timeoutMs?: number
}>

/**
 * Renders a job in a low-priority child process, which exits when this process does. When aborted, waits for the child
 * to exit, removes its partial file and rejects with the signal's reason.
 */
export async function renderInChild(job: RenderJob, options: RenderOptions = {}): Promise<RenderResult> {
  const { signal, timeoutMs = 180_000 } = options
  signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(timeoutMs)
  const stop = signal ? AbortSignal.any([signal, timeout]) : timeout
  const child = fork(CHILD, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=1024'],
    env: Object.fromEntries(ALLOWED_ENV.map((name) => [name, process.env[name]])),
  })
  const cancel = () => stopChild(child)
  stop.addEventListener('abort', cancel, { once: true })
  try {
    return await resultOf(child, job, options)
  } catch (error) {
    // A killed child cannot remove its own partial file.
    if (child.pid !== undefined) await removeFile(partPath(job.out, child.pid))
    signal?.throwIfAborted()
    if (timeout.aborted) throw new Error(`The render took longer than ${timeoutMs} ms`)
    throw error
  } finally {
    stop.removeEventListener('abort', cancel)
  }
}

/** Sends the job to the child and settles after the child has exited and can no longer write to the file. */
function resultOf(child: ChildProcess, job: RenderJob, { onProgress, onFrame }: RenderOptions): Promise<RenderResult> {
  const errors = child.stderr ? collectTail(child.stderr) : () => ''
  return new Promise((resolve, reject) => {
    let last: MessageFromChild | undefined
    child.on('message', (message: MessageFromChild) => {
      if (message.type === 'progress') onProgress?.(message.percent)
      else if (message.type === 'frame') onFrame?.(message.jpeg)
      else last = message
    })
    child.once('error', reject)
    child.once('close', (code, killedBy) => {
      if (last?.type === 'done') return resolve(last.result)
      const reason = last?.type === 'failed' ? last.message : `The render process ended with ${killedBy ?? code}`
      const stderr = errors()
      reject(new Error(stderr ? `${reason}: ${stderr}` : reason))
    })
    const render: MessageToChild = { type: 'render', job }
    child.send(render, (error) => error && reject(error))
  })
}

/**
 * Asks the child to stop and clean up, and kills it after a grace period. Disconnecting the IPC channel would also stop
 * it, but its `close` event would never fire.
 */
function stopChild(child: ChildProcess): void {
  const cancel: MessageToChild = { type: 'cancel' }
  if (child.connected) child.send(cancel, () => {})
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  child.once('close', () => clearTimeout(timer))
}
