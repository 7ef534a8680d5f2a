import { setTimeout as delay } from 'node:timers/promises'
import type { MinimaxDouble } from '#backend/providers/video/minimax/testing/minimaxDouble.ts'
import { seeded } from '#backend/testing/seeded.ts'
import { type Layout, PROCESSES } from './layout.ts'

const ERRORS = 0.3

/** Makes the double call back when a job is finished, and with `faults` call twice and answer three calls of ten with an error. */
export function injectFaults(double: MinimaxDouble, { faults, seed }: { faults: boolean; seed: number }) {
  const next = seeded(seed)
  if (faults) double.fault = () => (next() < ERRORS ? { status: 500 } : undefined)
  const called = new Set<string>()
  const timer = setInterval(() => {
    for (const job of double.jobs.values()) {
      if (called.has(job.jobId) || Date.now() < job.finishAt) continue
      called.add(job.jobId)
      for (let n = 0; n < (faults ? 2 : 1); n++) double.sendCallback(job, 'success').catch(() => {})
    }
  }, 50)
  return { stop: () => clearInterval(timer) }
}

/** Kills a process at each interval and starts it again. Returns a function that stops this. */
export function killEachMinute(layout: Layout, intervalMs: number, seed: number): () => Promise<void> {
  const next = seeded(seed)
  const stopping = new AbortController()
  const work = (async () => {
    for (;;) {
      await delay(intervalMs, undefined, { signal: stopping.signal })
      const name = PROCESSES[Math.floor(next() * PROCESSES.length)]!
      await layout.running.get(name)!.kill()
      console.log(`${name} killed`)
      await layout.start(name)
    }
  })().catch((error) => {
    if (!stopping.signal.aborted) throw error
  })
  return async () => {
    stopping.abort()
    await work
  }
}
