import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchProgress } from './watchProgress.ts'

const IDLE_MS = 60_000
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => vi.useRealTimers())

// Other systems do not tell what a process has used.
it.skipIf(process.platform !== 'linux')(
  'does not kill a program that waits for input, until all of it is there',
  async () => {
    const child = spawn('/bin/sh', ['-c', 'echo ready; read line; exec sleep 600'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const closed = once(child, 'close')
    const isStuck = watchProgress(child, IDLE_MS)
    await once(child.stdout, 'data')
    vi.advanceTimersByTime(10 * IDLE_MS)
    expect([isStuck(), child.killed]).toEqual([false, false])
    child.stdin.end()
    vi.advanceTimersByTime(3 * IDLE_MS)
    expect(isStuck()).toBe(true)
    expect(await closed).toEqual([null, 'SIGKILL'])
  },
)

it.skipIf(process.platform !== 'linux')('does not kill a program while it uses the processor', async () => {
  const child = spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' })
  const isStuck = watchProgress(child, IDLE_MS)
  const cpuTime = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ')[13]
  for (let look = 0; look < 10; look++) {
    for (const before = cpuTime(); cpuTime() === before; ) await setImmediate()
    vi.advanceTimersByTime(IDLE_MS / 6)
  }
  expect(isStuck()).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'close')
})
