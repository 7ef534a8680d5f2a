import { type ChildProcess, fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { partPath } from '#backend/kernel/media/atomicFile.ts'
import { collectTail } from '#backend/kernel/media/ffmpeg.ts'
import type { MessageFromChild, MessageToChild, RenderJob, RenderResult } from './job.ts'

export type { RenderJob, RenderResult } from './job.ts'

const CHILD = fileURLToPath(new URL('./renderChild.ts', import.meta.url))
const GRACE_MS = 3000
/** The child reads pictures of strangers, so it gets what it needs to run and no secrets. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'LD_LIBRARY_PATH']

export type RenderOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** Percent, 0 to 100, never going down. */
  onProgress?: (percent: number) => void
  timeoutMs?: number
}>

/**
 * Renders a job in a child process of its own, at low priority. Rejects with the signal's reason when aborted; by then
 * the child has ended and left no unfinished file. The child also ends when this process does.
 */
export async function renderInChild(job: RenderJob, options: RenderOptions = {}): Promise<RenderResult> {
  const { signal, onProgress, timeoutMs = 180_000 } = options
  signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(timeoutMs)
  const stop = signal ? AbortSignal.any([signal, timeout]) : timeout
  const child = fork(CHILD, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--max-old-space-size=1024'],
    env: Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]])),
  })
  const cancel = () => stopChild(child)
  stop.addEventListener('abort', cancel, { once: true })
  try {
    return await outcomeOf(child, job, onProgress)
  } catch (error) {
    await removeParts(job, child.pid)
    signal?.throwIfAborted()
    if (timeout.aborted) throw new Error(`The render took longer than ${timeoutMs} ms`)
    throw error
  } finally {
    stop.removeEventListener('abort', cancel)
  }
}

/** Settles only when the child has ended, so that nothing writes any more. */
function outcomeOf(child: ChildProcess, job: RenderJob, onProgress?: (percent: number) => void): Promise<RenderResult> {
  const errors = child.stderr ? collectTail(child.stderr) : () => ''
  return new Promise((resolve, reject) => {
    let last: MessageFromChild | undefined
    child.on('message', (message: MessageFromChild) => {
      if (message.type === 'progress') onProgress?.(message.percent)
      else last = message
    })
    child.once('error', reject)
    child.once('close', (code, killedBy) => {
      if (last?.type === 'done') return resolve(last.result)
      const reason = last?.type === 'failed' ? last.message : `The render process ended with ${killedBy ?? code}`
      const said = errors()
      reject(new Error(said ? `${reason}: ${said}` : reason))
    })
    const render: MessageToChild = { type: 'render', job }
    child.send(render, (error) => error && reject(error))
  })
}

/**
 * Asks the child to stop and tidy up; if it does not, it is ended. (Closing the channel from here would ask as well, but
 * then its `close` event never comes.)
 */
function stopChild(child: ChildProcess): void {
  const cancel: MessageToChild = { type: 'cancel' }
  if (child.connected) child.send(cancel, () => {})
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  child.once('close', () => clearTimeout(timer))
}

/** A child that was killed could not remove what it had begun. */
async function removeParts(job: RenderJob, pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  for (const out of [job.out, job.posterOut]) if (out) await rm(partPath(out, pid), { force: true })
}
