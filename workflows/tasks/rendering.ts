import { Pool } from '#backend/kernel/pool.ts'
import type { FailureCode, Route } from '#backend/tasks/contract.ts'
import type { VideoTask } from '#backend/tasks/videoTask.rules.ts'
import type { ActivityDeps, TaskCommands } from './taskCommands.ts'

/** Limit per process and group of providers. Bounds the number of jobs with an unknown outcome when the provider stops responding. */
export const MAX_CONCURRENT_CREATES = 4
/** Interval at which a waiting task is read again, because it may have been cancelled. */
export const READ_INTERVAL_MS = 5_000
export const RENDER_LIMIT_MS = 30 * 60_000

/** Films in work from which no other film is started: as many as take their posters with one start of ffmpeg. */
const MAX_FINISHING = 8

/**
 * Counts the downloaded films that this worker marks and stores, so that it finishes films before it starts others. Otherwise
 * films that cost more than the cores can do all wait at their end, when their owners expect them.
 */
export class Finishing {
  #films = 0
  readonly #waiting = new Set<() => void>()

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#films++
    try {
      return await work()
    } finally {
      this.#films--
      for (const wake of this.#waiting) wake()
    }
  }

  /** Waits until few films are left to finish. Resolves early when the signal aborts. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#films >= MAX_FINISHING && !signal.aborted)
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        this.#waiting.add(done)
        signal.addEventListener('abort', done)
      })
  }
}

export type RenderDeps = ActivityDeps &
  TaskCommands & {
    /** Films that go before the start of others. */
    readonly finishing: Finishing
    /** Returns the calls in progress for tasks of these routes. */
    readonly calls: (routes: readonly Route[]) => Pool
    /** Tasks whose `create` failed in this process. No other process waits for the response. */
    readonly unanswered: Set<string>
    /** The attempt of each task whose request may be stored, although this process did not call the provider for it. */
    readonly uncalled: Map<string, string>
  }

/**
 * Returns the pools of calls. Tasks that the same providers can make share one, because a task keeps its place while it waits for a
 * provider: one that is down holds up no task of another.
 */
export function createCalls(): RenderDeps['calls'] {
  const pools = new Map<string, Pool>()
  return (routes) => {
    const key = routes
      .map(({ provider }) => provider)
      .toSorted()
      .join()
    const pool = pools.get(key) ?? new Pool(MAX_CONCURRENT_CREATES)
    pools.set(key, pool)
    return pool
  }
}

export type Waiting = Extract<VideoTask, { status: 'waiting' }>
export type Rendering = Extract<VideoTask, { status: 'rendering' | 'downloading' }>

export const failure = (code: FailureCode, detail: string) => ({ kind: 'failed', code, detail }) as const
