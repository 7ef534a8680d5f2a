import type { Pool } from '#backend/kernel/pool.ts'
import type { FailureCode } from '#backend/tasks/contract.ts'
import type { VideoTask } from '#backend/tasks/videoTask.rules.ts'
import type { ActivityDeps, TaskCommands } from './taskCommands.ts'

/** Per-process limit. Bounds the number of jobs with an unknown outcome when the provider stops responding. */
export const MAX_CONCURRENT_CREATES = 4
/** Interval at which a waiting task is read again, because it may have been cancelled. */
export const READ_INTERVAL_MS = 5_000
export const RENDER_LIMIT_MS = 30 * 60_000

export type RenderDeps = ActivityDeps &
  TaskCommands & {
    readonly calls: Pool
    /** Tasks whose `create` failed in this process. No other process waits for the response. */
    readonly unanswered: Set<string>
    /** The attempt of each task whose request may be stored, although this process did not call the provider for it. */
    readonly uncalled: Map<string, string>
  }

export type Waiting = Extract<VideoTask, { status: 'waiting' }>
export type Rendering = Extract<VideoTask, { status: 'rendering' | 'downloading' }>

export const failure = (code: FailureCode, detail: string) => ({ kind: 'failed', code, detail }) as const
