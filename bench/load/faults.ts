import { setTimeout as delay } from 'node:timers/promises'
import type { MinimaxDouble } from '#backend/providers/video/minimax/testing/minimaxDouble.ts'
import { type Layout, PROCESSES } from './layout.ts'

const ERRORS = 0.3

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Makes the double call back when a job is finished, and with `faults` call twice and answer three calls of ten with an error. */
export function injectFaults(double: MinimaxDouble, { faults, seed }: { faults: boolean; seed: number }) {
  const next = numbersOf(seed)
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
  const next = numbersOf(seed)
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
