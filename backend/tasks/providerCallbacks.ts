import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { FindOrigin } from '../kernel/eventsourcing/command.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import { notify } from '../kernel/postgres/notify.ts'
import type { Clock } from '../kernel/time.ts'
import { VIDEO_TASK } from './events.ts'
import { videoTask } from './videoTask.decider.ts'

/** Name of the change notification that lists the tasks of a provider callback. */
export const PROVIDER_HINTS = 'providerHints'

interface CallbackDeps {
  readonly handle: Handle
  readonly findOrigin: FindOrigin
  readonly pool: pg.Pool
  readonly clock: Clock
}

interface ProviderCallback {
  readonly taskId: string
  /** Name of the provider that calls. */
  readonly provider: string
  readonly jobId: string | undefined
}

/**
 * Handles a provider callback about a task. The decider accepts the job id only if the response of this provider was lost.
 * Wakes activities that wait for the task, in any process, so that they query the job immediately.
 */
export async function handleProviderCallback(
  { handle, findOrigin, pool, clock }: CallbackDeps,
  { taskId, provider, jobId }: ProviderCallback,
): Promise<void> {
  if (jobId !== undefined) {
    const origin = await findOrigin(`${VIDEO_TASK}-${taskId}`)
    const context = { commandId: uuid7(), actor: 'system', correlationId: taskId, ...origin }
    const at = new Date(clock()).toISOString()
    await handle(videoTask, taskId, { type: 'FindRender', provider, jobId, at }, context)
  }
  await wakeTask(pool, taskId)
}

/** Wakes activities that wait for the task, in any process. */
export const wakeTask = (pool: Pick<pg.Pool, 'query'>, taskId: string): Promise<void> =>
  notify(pool, { name: PROVIDER_HINTS, ids: [taskId] })

/** Waits for `ms` milliseconds or until the provider calls back about the task. @throws AbortError when aborted */
export async function waitForCallback(changes: Changes, taskId: string, ms: number, signal: AbortSignal) {
  const called = new AbortController()
  const unsubscribe = changes.subscribe(({ name, ids }) => {
    if (name === PROVIDER_HINTS && ids.includes(taskId)) called.abort()
  })
  try {
    await delay(ms, undefined, { signal: AbortSignal.any([signal, called.signal]) })
  } catch (error) {
    if (!called.signal.aborted) throw error
  } finally {
    unsubscribe()
  }
}
