import { readFileSync } from 'node:fs'
import os from 'node:os'
import type { MessageFromChild, MessageToChild, RenderJob } from './renderJob.ts'
import { renderVideo } from './renderVideo.ts'

// Entry point of the child process that `renderInChild` starts. It renders one job and exits.

const NICE = 10
const stop = new AbortController()

// The IPC channel closes when the parent exits, even after SIGKILL.
process.on('disconnect', () => stop.abort(new Error('The parent process is gone')))
process.on('message', (message: MessageToChild) => {
  if (message.type === 'render') void work(message.job)
  else stop.abort(new Error('The render was cancelled'))
})

try {
  // Give the web server priority. The encoder inherits this niceness.
  os.setPriority(NICE)
} catch {
  // Not every system lets a process change its priority.
}

async function work(job: RenderJob): Promise<void> {
  let last = -1
  const onProgress = (percent: number) => {
    if (percent === last) return
    last = percent
    void send({ type: 'progress', percent })
  }
  try {
    const onFrame = (jpeg: Uint8Array) => void send({ type: 'frame', jpeg })
    const result = await renderVideo(job, { signal: stop.signal, onProgress, onFrame })
    await send({ type: 'done', result: { ...result, cpuMs: usedCpuMs() } })
  } catch (error) {
    await send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
  if (process.connected) process.disconnect()
}

function send(message: MessageFromChild): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve())
    else resolve()
  })
}

/** Returns the CPU time in milliseconds of this process and, if /proc is available, of its exited encoders. */
function usedCpuMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    // The second field is the command name, which may contain spaces. CPU times are in clock ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks * 10
  } catch {
    const { user, system } = process.cpuUsage()
    return Math.round((user + system) / 1000)
  }
}
