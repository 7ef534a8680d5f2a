import { setTimeout as delay } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Activities, Policies } from '../engine/engine.port.ts'

/** An attempt whose forerunner does not come to rest begins all the same after so long. */
const FORERUNNER_MS = 30_000

/**
 * Activities as a worker runs them. The host says that they live: a heartbeat is missed by a process that is gone or
 * stuck, not by one that waits. After Temporal was away, an attempt may be sent here while the one before it is still at
 * work: it waits for that one to come to rest.
 */
export function hostActivities(
  activities: Activities,
  policies: Policies,
  onError: (error: unknown, activity: string) => void,
): Record<string, (input: never) => Promise<unknown>> {
  const working = new Map<string, Promise<unknown>>()

  const hosted = async (name: string, run: Activities[string], input: never) => {
    const context = Context.current()
    const { heartbeatMs } = policies[name] ?? {}
    const beating = heartbeatMs && setInterval(() => context.heartbeat(), heartbeatMs / 4)
    const place = `${context.info.workflowExecution?.workflowId} ${name}`
    try {
      const forerunner = working.get(place)
      if (forerunner) await Promise.race([forerunner.catch(() => {}), delay(FORERUNNER_MS, undefined, { ref: false })])
      const signal = context.cancellationSignal
      signal.throwIfAborted()
      const work = run(input, { signal })
      working.set(place, work)
      const leave = () => void (working.get(place) === work && working.delete(place))
      work.then(leave, leave)
      return await work
    } catch (error) {
      if (context.cancellationSignal.aborted) throw error
      onError(error, name)
      throw withoutDetails(error)
    } finally {
      clearInterval(beating)
    }
  }
  return Object.fromEntries(
    Object.entries(activities).map(([name, run]) => [name, (input: never) => hosted(name, run, input)]),
  )
}

/** Temporal keeps histories, which may hold no personal data: what exactly went wrong is for the log of the process. */
function withoutDetails(error: unknown): ApplicationFailure {
  const { name = 'Error', code } = error as { name?: string; code?: unknown }
  const message = typeof code === 'string' ? `${name} (${code})` : name
  const failure = ApplicationFailure.retryable(message, name)
  failure.stack = ''
  return failure
}
