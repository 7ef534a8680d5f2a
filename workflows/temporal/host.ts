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
 * Runs every body inside Temporal's sandbox, by the name it was started under. A cancelled run is abandoned where it
 * stands, and so is one whose history has grown long: that begins again under its input, as it does after a crash on an
 * engine that remembers nothing. Nothing is ever thrown into a body but what an activity has thrown.
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
    const tooLong = Promise.withResolvers<void>()
    const unlessTooLong = async <T>(wait: () => Promise<T>): Promise<T> => {
      if (!workflowInfo().continueAsNewSuggested) return wait()
      tooLong.resolve()
      return never
    }
    const context: WorkflowContext<never> = {
      activities,
      now: async () => Date.now(),
      sleep: (ms) => unlessTooLong(() => sleep(ms)),
      signalled: (name, ms) =>
        unlessTooLong(async () => {
          // A wait of no time has to be one: the timer of 0 ms would be one of for ever.
          if (!raised.has(name)) await condition(() => raised.has(name), Math.max(ms, 1))
          return raised.delete(name)
        }),
    }
    return Promise.race([
      CancellationScope.nonCancellable(() => workflow.run(context, input)),
      CancellationScope.current().cancelRequested,
      tooLong.promise.then(() => continueAsNew(input)),
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
        // A field of 32 bits at the server: more is as good as for ever.
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
