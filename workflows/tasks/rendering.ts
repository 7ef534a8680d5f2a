import { Pool } from '#backend/kernel/pool.ts'
import type { FailureCode, Route } from '#backend/tasks/contract.ts'
import type { VideoTask } from '#backend/tasks/videoTask.rules.ts'
import type { Finishing } from './finishing.ts'
import type { ActivityDeps, TaskCommands } from './taskCommands.ts'

/** Limit per process and group of providers. Bounds the number of jobs with an unknown outcome when the provider stops responding. */
export const MAX_CONCURRENT_CREATES = 4
/** Interval at which a waiting task is read again, because it may have been cancelled. */
export const READ_INTERVAL_MS = 5_000
export const RENDER_LIMIT_MS = 30 * 60_000

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
