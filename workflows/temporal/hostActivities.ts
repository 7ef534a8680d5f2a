import { setTimeout as delay } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Activities, Policies } from '../engine/engine.port.ts'

/** Longest time that an attempt waits for the previous one to end. */
const PREVIOUS_ATTEMPT_MS = 30_000

/**
 * Wraps activities for a Temporal worker. A timer sends the heartbeats, so only a dead or stuck process misses them.
 * After an outage, Temporal may start an attempt while the previous one still runs in this process. The new attempt
 * waits.
 */
export function hostActivities(
  activities: Activities,
  policies: Policies,
  onError: (error: unknown, activity: string) => void,
): Record<string, (input: never) => Promise<unknown>> {
  const running = new Map<string, Promise<unknown>>()

  const hosted = async (name: string, run: Activities[string], input: never) => {
    const context = Context.current()
    const { heartbeatMs } = policies[name] ?? {}
    const beat = () => context.heartbeat()
    const heartbeat = heartbeatMs && !context.info.isLocal ? setInterval(beat, heartbeatMs / 4) : undefined
    const key = `${context.info.workflowExecution?.workflowId} ${name}`
    try {
      const previous = running.get(key)
      if (previous)
        await Promise.race([previous.catch(() => {}), delay(PREVIOUS_ATTEMPT_MS, undefined, { ref: false })])
      const signal = context.cancellationSignal
      signal.throwIfAborted()
      const work = run(input, { signal })
      running.set(key, work)
      const settled = () => void (running.get(key) === work && running.delete(key))
      work.then(settled, settled)
      return await work
    } catch (error) {
      if (context.cancellationSignal.aborted) throw error
      onError(error, name)
      throw withoutDetails(error)
    } finally {
      clearInterval(heartbeat)
    }
  }
  return Object.fromEntries(
    Object.entries(activities).map(([name, run]) => [name, (input: never) => hosted(name, run, input)]),
  )
}

/** Reduces an error to its name and code: Temporal stores histories, which must not contain personal data. */
function withoutDetails(error: unknown): ApplicationFailure {
  const { name = 'Error', code } = error as { name?: string; code?: unknown }
  const message = typeof code === 'string' ? `${name} (${code})` : name
  const failure = ApplicationFailure.retryable(message, name)
  failure.stack = ''
  return failure
}
