import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  proxySinks,
  type Sinks,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { ActivityPolicy, AnyWorkflow, Policies, WorkflowContext } from '../engine/engine.port.ts'
import { ENGINE_SIGNAL, queueOf } from './names.ts'

type Proxy = (input: unknown) => Promise<unknown>
type Proxies = Record<string, Proxy>

/** Time limit of a local activity and its retries. Shorter than a workflow task, which contains them. */
const LOCAL_MS = 3_000

/** Functions of the worker that a run can call. They are not part of its history. */
export interface HostSinks extends Sinks {
  readonly runs: { begun(): void }
}

const { runs } = proxySinks<HostSinks>()
const signal = defineSignal<[string]>(ENGINE_SIGNAL)
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

    runs.begun()
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
    const remote = remoteProxy(name, policy)
    return [name, policy.local ? localProxy(name, policy, remote) : remote] as const
  }
  return Object.fromEntries(Object.entries(policies).map(proxy))
}

function remoteProxy(name: string, policy: ActivityPolicy): Proxy {
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
  return proxyActivities<Proxies>(options)[name]!
}

/** Every attempt of a local activity is part of the history, so long retries are left to the remote one. */
function localProxy(name: string, { firstRetryMs }: ActivityPolicy, remote: Proxy): Proxy {
  const options = { scheduleToCloseTimeout: LOCAL_MS, retry: { initialInterval: firstRetryMs, maximumAttempts: 3 } }
  const local = proxyLocalActivities<Proxies>(options)[name]!
  return (input) => local(input).catch(() => remote(input))
}
