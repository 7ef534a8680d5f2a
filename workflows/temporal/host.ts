import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { ActivityPolicy, AnyWorkflow, Policies, WorkflowContext } from '../engine/engine.port.ts'
import { LOOK_AGAIN, queueOf } from './names.ts'

type Proxies = Record<string, (input: unknown) => Promise<unknown>>

const signal = defineSignal<[string]>(LOOK_AGAIN)
const never = new Promise<never>(() => {})

/**
 * Returns a function that runs workflows of any type in Temporal's sandbox. A cancelled run is abandoned at its current
 * step. A run with a long history continues as new with the same input. Only activity calls throw into a body.
 */
export function host(workflows: readonly AnyWorkflow[], policies: Policies): (input: never) => Promise<unknown> {
  const byType = new Map(workflows.map((workflow) => [workflow.type, workflow]))
  const activities = proxiesOf(policies) as never
  return async (input) => {
    const { workflowType } = workflowInfo()
    const workflow = byType.get(workflowType)
    if (!workflow) throw new Error(`unknown workflow type ${workflowType}`)

    const raised = new Set<string>()
    setHandler(signal, (name) => void raised.add(name))
    const historyLong = Promise.withResolvers<void>()
    const unlessLong = async <T>(wait: () => Promise<T>): Promise<T> => {
      if (!workflowInfo().continueAsNewSuggested) return wait()
      historyLong.resolve()
      return never
    }
    const context: WorkflowContext<never> = {
      activities,
      now: async () => Date.now(),
      sleep: (ms) => unlessLong(() => sleep(ms)),
      signalled: (name, ms) =>
        unlessLong(async () => {
          // Temporal treats a timeout of 0 as no timeout.
          if (!raised.has(name)) await condition(() => raised.has(name), Math.max(ms, 1))
          return raised.delete(name)
        }),
    }
    return Promise.race([
      CancellationScope.nonCancellable(() => workflow.run(context, input)),
      CancellationScope.current().cancelRequested,
      historyLong.promise.then(() => continueAsNew(input)),
    ])
  }
}

function proxiesOf(policies: Policies): Proxies {
  const proxy = ([name, policy]: [string, ActivityPolicy]) => {
    const { attempts, firstRetryMs, maxRetryMs, timeoutMs, heartbeatMs, pool } = policy
    const options = {
      taskQueue: queueOf(pool),
      startToCloseTimeout: timeoutMs,
      heartbeatTimeout: heartbeatMs,
      retry: {
        // The server stores a 32-bit integer.
        maximumAttempts: attempts < 2 ** 31 ? attempts : Number.POSITIVE_INFINITY,
        initialInterval: firstRetryMs,
        maximumInterval: maxRetryMs,
        backoffCoefficient: 2,
      },
    }
    return [name, proxyActivities<Proxies>(options)[name]!] as const
  }
  return Object.fromEntries(Object.entries(policies).map(proxy))
}
