import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { SUBSCRIPTION, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { VIDEO_TASK, type VideoTaskEvent } from '#backend/tasks/events.ts'
import { runSubscriptionLifecycle, SUBSCRIPTION_CHANGED } from '../subscriptions/runSubscriptionLifecycle.workflow.ts'
import { generateVideo, TURN } from '../tasks/generateVideo.workflow.ts'
import { recoverVideo } from '../tasks/recoverVideo.workflow.ts'
import type { Engine } from './engine.port.ts'

type TriggerEvent = VideoTaskEvent | SubscriptionEvent

/** What was going on, each kind of it up to a position of the log: undefined before the first event. */
export interface OpenWork {
  readonly upTo: Readonly<Record<Kind, GlobalPosition | undefined>>
  readonly generations: readonly { taskId: string; userId: string; priority: number }[]
  readonly recoveries: readonly { taskId: string; userId: string }[]
  /** Users with an agreement that may still be billed. */
  readonly subscribers: readonly string[]
}

export type Kind = 'generations' | 'recoveries' | 'subscribers'

type Starter = Pick<Engine, 'start' | 'signal'>

export interface Triggers {
  readonly store: EventStore
  readonly engine: Starter
  readonly openWork: () => Promise<OpenWork>
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * Workflows start from the log: first those that were going on when the last process stopped, then as events come.
 * Starting one twice does nothing, so neither needs to know of the other.
 */
export async function runTriggers({ store, engine, openWork, signal, onError }: Triggers): Promise<void> {
  while (!signal.aborted) {
    try {
      const { upTo, generations, recoveries, subscribers } = await openWork()
      const isNews = (event: Stored<TriggerEvent>) => event.position > (upTo[kindOf(event)] ?? '')
      for (const { priority, ...input } of generations) await startGeneration(engine, input, priority)
      for (const input of recoveries) await startRecovery(engine, input)
      const follow = async (signal: AbortSignal) => {
        const from = earliest(Object.values(upTo))
        for await (const { events } of store.subscribeAll<TriggerEvent>({ from, streamPrefixes: PREFIXES, signal }))
          for (const event of events.filter(isNews)) await react(engine, event)
      }
      // Of these there may be very many: no task waits for them.
      const lookAtTerms = async (signal: AbortSignal) => {
        for (const userId of subscribers) if (!signal.aborted) await wakeSubscription(engine, userId)
      }
      await atOnce([follow, lookAtTerms], signal)
    } catch (error) {
      if (signal.aborted) return
      onError(error)
      await delay(1_000, undefined, { signal }).catch(() => {})
    }
  }
}

/** Does several things until all are done. When one fails, the others are told to stop, and waited for. */
async function atOnce(jobs: readonly ((signal: AbortSignal) => Promise<void>)[], signal: AbortSignal): Promise<void> {
  const failed = new AbortController()
  const running = jobs.map((job) => job(AbortSignal.any([signal, failed.signal])))
  try {
    await Promise.all(running)
  } finally {
    failed.abort()
    await Promise.allSettled(running)
  }
}

const earliest = (positions: readonly (GlobalPosition | undefined)[]) =>
  positions.includes(undefined) ? undefined : positions.toSorted()[0]

/** Which kind of work an event begins, or wakes. */
function kindOf({ type }: TriggerEvent): Kind {
  if (type.startsWith('Subscription')) return 'subscribers'
  return type === 'VideoTaskSubmitted' ? 'generations' : 'recoveries'
}

const PREFIXES = [`${VIDEO_TASK}-`, `${SUBSCRIPTION}-`] as const satisfies [string, ...string[]]

/** Has a user's subscription looked at, whether its workflow runs already or not. */
export async function wakeSubscription(engine: Starter, userId: string): Promise<void> {
  await engine.start(runSubscriptionLifecycle, { userId })
  await engine.signal(runSubscriptionLifecycle, { userId }, SUBSCRIPTION_CHANGED)
}

type Input = { readonly taskId: string; readonly userId: string }

const startGeneration = (engine: Starter, { taskId, userId }: Input, priority: number) =>
  engine.start(generateVideo, { taskId, userId }, { priority, owner: userId })

const startRecovery = (engine: Starter, { taskId, userId }: Input) => engine.start(recoverVideo, { taskId, userId })

const isSubscription = (event: TriggerEvent): event is SubscriptionEvent => event.type.startsWith('Subscription')

async function react(engine: Starter, event: TriggerEvent): Promise<void> {
  switch (event.type) {
    case 'VideoTaskSubmitted':
      return startGeneration(engine, event.data, event.data.priority)
    case 'VideoTaskFailed': {
      const { code, jobId } = event.data
      if ((code === 'render_timed_out' || code === 'answer_lost') && jobId !== null)
        return startRecovery(engine, event.data)
      return engine.signal(generateVideo, event.data, TURN)
    }
    case 'VideoRenderFound':
      return startRecovery(engine, event.data)
    default:
      return isSubscription(event) ? wakeSubscription(engine, event.data.userId) : undefined
  }
}
