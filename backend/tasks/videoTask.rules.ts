import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { FailureCode } from './contract.ts'
import { OPEN_ENDED, type VideoFile, type VideoTaskEvent, type VideoTaskOrder } from './events.ts'

/**
 * A video task from submission to outcome. Optimistic concurrency on the stream prevents a second outcome. `lease` is
 * the highest fencing token of the workers that have rendered it.
 */
export type VideoTask = Stage & { readonly lease?: number }

type Stage =
  | { readonly status: 'none' | 'abandoned' }
  | ({ readonly status: 'waiting'; readonly order: VideoTaskOrder; readonly submittedAt: string } & Asked & {
        readonly queued: boolean
        /** The only provider that may be asked again, because an earlier call may have created a job there. */
        readonly boundTo?: string
      })
  | ({ readonly status: 'rendering' } & InProgress)
  | ({ readonly status: 'downloading'; readonly downloadStartedAt: string } & InProgress)
  | {
      readonly status: 'failed'
      readonly order: VideoTaskOrder
      readonly failedAt: string
      readonly code: FailureCode
      readonly provider?: string
      readonly engineModel?: string
      /** Id of a job that may still finish; null if there is none. */
      readonly jobId: string | null
      /** Whether the provider may have created a job whose id is unknown. */
      readonly jobUnknown: boolean
    }
  /** A video that was recovered after a failure is not charged. */
  | Readonly<{
      status: 'succeeded'
      order: VideoTaskOrder
      file: VideoFile
      charged: boolean
      /** The job that made the video. */
      job?: { readonly provider: string; readonly jobId: string }
    }>
  | Readonly<{
      status: 'deleted'
      /** Id of the task while its recovery, which may store a late video, has not ended. */
      recovering?: string
      charged: boolean
      /** Its owner deleted it before it had ended. */
      cancelled: boolean
    }>

type InProgress = Asked & {
  readonly order: VideoTaskOrder
  readonly submittedAt: string
  readonly requestedAt: string
  /** Id of the worker's attempt that made the request. */
  readonly attempt: string
  readonly provider: string
  /** What the provider makes the video with. Earlier requests have none. */
  readonly engineModel?: string
  readonly jobId: string | null
  /** When the engine began to render; null while the job waits there. */
  readonly startedAt: string | null
  /** Whether the engine has lost the job after it had begun, and queued it again. */
  readonly queuedAgain?: true
  readonly cancelRequestedAt?: string
  readonly costReported?: true
}

/** Names of the providers that certainly did not take the task: for now, least recently first, or for good. */
type Asked = { readonly postponedBy?: readonly string[]; readonly refusedBy?: readonly string[] }

/** Returns whether a task is charged. When an uncharged task ends, its credits are released. */
export const isCharged = (task: VideoTask): boolean => 'charged' in task && task.charged

/** Returns why the credits of an uncharged task are released: its owner cancelled it, or Kinora did not deliver. */
export const releaseReason = (task: VideoTask): 'cancelled' | 'not delivered' =>
  (task.status === 'deleted' && task.cancelled) || (task.status === 'failed' && task.code === 'cancelled')
    ? 'cancelled'
    : 'not delivered'

/** Returns whether a task was submitted, whatever became of it. */
export const isSubmitted = ({ status }: VideoTask): boolean => status !== 'none' && status !== 'abandoned'

/** Returns whether a task has ended, so that its credits can be settled. */
export const isEnded = ({ status }: VideoTask): boolean => ENDED.includes(status)

/** Returns whether a video may still be delivered: the task has not ended, or a job of it may still finish. */
export const isVideoExpected = (task: VideoTask): boolean =>
  !isEnded(task) || (task.status === 'failed' && task.jobId !== null)

const ENDED: readonly VideoTask['status'][] = ['failed', 'succeeded', 'deleted', 'abandoned']

/** @throws Rejection lease_lost if another worker has taken over the task */
export function refuseOlderLease(task: VideoTask, lease: number | undefined): void {
  if (lease !== undefined && task.lease !== undefined && lease < task.lease)
    throw new Rejection('lease_lost', 'Another worker holds the lease and has taken over the task.')
}

/** Folds an event into a task. */
export function evolve(task: VideoTask, event: VideoTaskEvent): VideoTask {
  const lease = 'lease' in event.data ? event.data.lease : task.lease
  const stage = evolveStage(task, event)
  return lease === undefined ? stage : { ...stage, lease }
}

function evolveStage(task: VideoTask, event: VideoTaskEvent): Stage {
  switch (event.type) {
    case 'VideoTaskSubmitted': {
      const { at, ...order } = event.data
      return { status: 'waiting', order, submittedAt: at, queued: false }
    }
    case 'VideoTaskQueued':
      return task.status === 'waiting' ? { ...task, queued: true } : task
    case 'VideoRenderRequested': {
      if (task.status !== 'waiting') return task
      const { queued: _, boundTo: __, ...rest } = task
      const { at: requestedAt, attempt, provider, engineModel } = event.data
      const made = engineModel === undefined ? { provider } : { provider, engineModel }
      return { ...rest, status: 'rendering', requestedAt, attempt, ...made, jobId: null, startedAt: null }
    }
    case 'VideoTaskClaimed':
      return task
    case 'VideoRenderPostponed': {
      if (task.status !== 'rendering') return task
      const { order, submittedAt, provider } = task
      const { refused, bound } = event.data
      const waiting = { status: 'waiting', order, submittedAt, queued: true, ...askedBefore(task, refused) } as const
      return bound ? { ...waiting, boundTo: provider } : waiting
    }
    case 'VideoCancelRequested':
      return task.status === 'rendering' ? { ...task, cancelRequestedAt: event.data.at } : task
    case 'VideoCostReported':
      return task.status === 'rendering' ? { ...task, costReported: true } : task
    case 'VideoRenderAccepted': {
      if (task.status !== 'rendering') return task
      const { jobId } = event.data
      const again = task.jobId !== null && task.startedAt !== null && !task.queuedAgain
      return { ...task, jobId, ...(again ? { startedAt: null, queuedAgain: true } : {}) }
    }
    case 'VideoRenderFound':
      return task.status === 'failed' ? { ...task, jobId: event.data.jobId, jobUnknown: false } : task
    case 'VideoRenderStarted':
      return task.status === 'rendering' ? { ...task, startedAt: event.data.at } : task
    case 'VideoDownloadStarted':
      return task.status === 'rendering' ? { ...task, status: 'downloading', downloadStartedAt: event.data.at } : task
    case 'VideoTaskSucceeded':
    case 'VideoTaskRecovered': {
      if (!('order' in task)) return task
      const charged = event.type === 'VideoTaskSucceeded'
      const [provider, jobId] = ['provider' in task && task.provider, 'jobId' in task && task.jobId]
      const job = provider && jobId ? { job: { provider, jobId } } : {}
      return { status: 'succeeded', order: task.order, file: event.data.file, charged, ...job }
    }
    case 'VideoTaskFailed': {
      if (!('order' in task)) return task
      const { code, jobId, at: failedAt } = event.data
      const openEnded = OPEN_ENDED.includes(code)
      const jobUnknown = openEnded && jobId === null && task.status === 'rendering'
      const by = 'provider' in task && task.provider ? madeBy(task) : {}
      return { status: 'failed', order: task.order, failedAt, code, ...by, jobId: openEnded ? jobId : null, jobUnknown }
    }
    case 'VideoRecoveryEnded':
      if (task.status === 'deleted') return { ...task, recovering: undefined }
      return task.status === 'failed' ? { ...task, jobId: null } : task
    case 'VideoVisibilitySet':
      return shownTo(task, event.data.shownTo)
    case 'VideoTaskAbandoned':
      return { status: 'abandoned' }
    case 'VideoTaskDeleted':
      return deleted(task, event.data.taskId)
  }
}

function deleted(task: VideoTask, taskId: string): Stage {
  const isRecovering = task.status === 'failed' && task.jobId !== null
  const cancelled = 'code' in task && task.code === 'cancelled'
  const ended = { status: 'deleted', charged: isCharged(task), cancelled } as const
  return isRecovering ? { ...ended, recovering: taskId } : ended
}

function shownTo(task: VideoTask, team: string | null): Stage {
  if (!('order' in task)) return task
  const { shownTo: _, ...order } = task.order
  return { ...task, order: team === null ? order : { ...order, shownTo: team } }
}

const madeBy = ({ provider, engineModel }: { provider?: string; engineModel?: string }) => ({
  ...(provider === undefined ? {} : { provider }),
  ...(engineModel === undefined ? {} : { engineModel }),
})

/** Adds the provider of a task, which was asked last, to those that did not take it. */
function askedBefore(
  { provider, postponedBy = [], refusedBy = [] }: Asked & { provider: string },
  refused = false,
): Asked {
  const others = postponedBy.filter((name) => name !== provider)
  return refused
    ? { postponedBy: others, refusedBy: [...refusedBy, provider] }
    : { postponedBy: [...others, provider], refusedBy }
}
