import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { FailureCode } from './contract.ts'
import {
  OPEN_ENDED,
  VIDEO_TASK,
  VIDEO_TASK_CHAINED,
  VIDEO_TASK_EVENTS,
  type VideoFile,
  type VideoTaskEvent,
  type VideoTaskOrder,
} from './events.ts'

/**
 * A video task from submission to outcome. Optimistic concurrency on the stream prevents a second outcome. `lease` is
 * the highest fencing token of the workers that have rendered it.
 */
export type VideoTask = Stage & { readonly lease?: number }

type Stage =
  | { readonly status: 'none' | 'abandoned' }
  | Readonly<{ status: 'waiting'; order: VideoTaskOrder; submittedAt: string; queued: boolean }>
  | {
      readonly status: 'rendering' | 'downloading'
      readonly order: VideoTaskOrder
      readonly submittedAt: string
      readonly requestedAt: string
      /** Id of the worker's attempt that made the request; undefined in events that predate it. */
      readonly attempt?: string
      readonly jobId: string | null
      readonly started: boolean
    }
  | {
      readonly status: 'failed'
      readonly order: VideoTaskOrder
      readonly code: FailureCode
      /** Id of a job that may still finish; null if there is none. */
      readonly jobId: string | null
      /** Whether the provider may have created a job whose id is unknown. */
      readonly jobUnknown: boolean
    }
  /** A video that was recovered after a failure is not charged. */
  | Readonly<{ status: 'succeeded'; order: VideoTaskOrder; file: VideoFile; charged: boolean }>
  /** `cancelled`: its owner deleted it before it had ended. */
  | { readonly status: 'deleted'; readonly charged: boolean; readonly cancelled: boolean }

type At = { readonly at: string }
type SimpleCommand = 'Queue' | 'Claim' | 'StartRender' | 'StartDownload' | 'Delete' | 'Erase' | 'EndRecovery'
/** Workers that run under a lease send its fencing token. */
export type VideoTaskCommand = Ask & { readonly lease?: number | undefined }

type Ask =
  | ({ readonly type: 'Submit'; readonly order: VideoTaskOrder } & At)
  /** Unlike `Delete`, `Erase` also ends a rendering task, because the account is being erased. */
  | ({ readonly type: SimpleCommand } & At)
  /** `attempt` tells the worker whether the request in the stream is its own. */
  | ({ readonly type: 'RequestRender'; readonly attempt: string } & At)
  | ({ readonly type: 'PostponeRender'; readonly detail: string } & At)
  /** `FindRender` comes from a callback, `AcceptRender` from the provider's response. */
  | ({ readonly type: 'AcceptRender' | 'FindRender'; readonly jobId: string } & At)
  | ({ readonly type: 'Succeed'; readonly file: VideoFile } & At)
  | ({ readonly type: 'Fail'; readonly code: FailureCode; readonly detail: string } & At)
  | ({ readonly type: 'Abandon'; readonly taskId: string } & At)

/** Returns whether a task is charged. When an uncharged task ends, its credits are released. */
export const isCharged = (task: VideoTask): boolean => 'charged' in task && task.charged

/** Returns why the credits of an uncharged task are released: its owner cancelled it, or Kinora did not deliver. */
export const releaseReason = (task: VideoTask): 'cancelled' | 'not delivered' =>
  task.status === 'deleted' && task.cancelled ? 'cancelled' : 'not delivered'

/** Returns whether a task has ended, so that its credits can be settled. */
export const isEnded = ({ status }: VideoTask): boolean => ENDED.includes(status)

const ENDED: readonly VideoTask['status'][] = ['failed', 'succeeded', 'deleted', 'abandoned']

/** @throws Rejection lease_lost if another worker has taken over the task */
export function refuseOlderLease(task: VideoTask, lease: number | undefined): void {
  if (lease !== undefined && task.lease !== undefined && lease < task.lease)
    throw new Rejection('lease_lost', 'Another worker holds the lease and has taken over the task.')
}

function evolve(task: VideoTask, event: VideoTaskEvent): VideoTask {
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
      const { order, submittedAt } = task
      const { at: requestedAt, attempt } = event.data
      const made = attempt === undefined ? { requestedAt } : { requestedAt, attempt }
      return { status: 'rendering', order, submittedAt, ...made, jobId: null, started: false }
    }
    case 'VideoTaskClaimed':
      return task
    case 'VideoRenderPostponed': {
      if (task.status !== 'rendering') return task
      return { status: 'waiting', order: task.order, submittedAt: task.submittedAt, queued: true }
    }
    case 'VideoRenderAccepted':
      return task.status === 'rendering' ? { ...task, jobId: event.data.jobId } : task
    case 'VideoRenderFound':
      return task.status === 'failed' ? { ...task, jobId: event.data.jobId, jobUnknown: false } : task
    case 'VideoRenderStarted':
      return task.status === 'rendering' ? { ...task, started: true } : task
    case 'VideoDownloadStarted':
      return task.status === 'rendering' ? { ...task, status: 'downloading' } : task
    case 'VideoTaskSucceeded':
    case 'VideoTaskRecovered': {
      if (!('order' in task)) return task
      const charged = event.type === 'VideoTaskSucceeded'
      return { status: 'succeeded', order: task.order, file: event.data.file, charged }
    }
    case 'VideoTaskFailed': {
      if (!('order' in task)) return task
      const { code, jobId } = event.data
      const openEnded = OPEN_ENDED.includes(code)
      const jobUnknown = openEnded && jobId === null && task.status === 'rendering'
      return { status: 'failed', order: task.order, code, jobId: openEnded ? jobId : null, jobUnknown }
    }
    case 'VideoRecoveryEnded':
      return task.status === 'failed' ? { ...task, jobId: null } : task
    case 'VideoTaskAbandoned':
      return { status: 'abandoned' }
    case 'VideoTaskDeleted':
      return { status: 'deleted', charged: isCharged(task), cancelled: 'code' in task && task.code === 'cancelled' }
  }
}

function decide(command: VideoTaskCommand, task: VideoTask): readonly VideoTaskEvent[] {
  const { at } = command
  switch (command.type) {
    case 'Submit':
      if (task.status === 'none') return [{ type: 'VideoTaskSubmitted', data: { ...command.order, at } }]
      if (task.status === 'abandoned')
        throw new Rejection('task_abandoned', 'This task was abandoned before it was submitted.')
      return []
    case 'Abandon':
      return task.status === 'none' ? [{ type: 'VideoTaskAbandoned', data: { taskId: command.taskId, at } }] : []
    default:
      if (command.type === 'Succeed' || command.type === 'Fail') refuseOlderLease(task, command.lease)
      return 'order' in task ? decideOpen(command, task, { taskId: task.order.taskId, at }) : []
  }
}

type Ordered = Extract<VideoTask, { order: VideoTaskOrder }>
type Fact = { readonly taskId: string; readonly at: string }

type OpenCommand = Exclude<VideoTaskCommand, { type: 'Submit' | 'Abandon' }>

function decideOpen(command: OpenCommand, task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  const { status } = task
  switch (command.type) {
    case 'Queue':
      return status === 'waiting' && !task.queued ? [{ type: 'VideoTaskQueued', data: fact }] : []
    case 'RequestRender':
      if (status !== 'waiting') return []
      return [{ type: 'VideoRenderRequested', data: { ...withLease(fact, command.lease), attempt: command.attempt } }]
    case 'Claim':
      return claim(command.lease, task, fact)
    case 'AcceptRender': {
      if (status !== 'rendering') return findRender(command.jobId, task, fact)
      if (task.jobId === command.jobId) return []
      return [{ type: 'VideoRenderAccepted', data: { ...fact, jobId: command.jobId } }]
    }
    case 'FindRender':
      return findRender(command.jobId, task, fact)
    case 'PostponeRender': {
      if (status !== 'rendering' || task.jobId !== null) return []
      return [{ type: 'VideoRenderPostponed', data: { ...fact, detail: command.detail } }]
    }
    case 'StartRender':
      return status === 'rendering' && !task.started ? [{ type: 'VideoRenderStarted', data: fact }] : []
    case 'StartDownload':
      return status === 'rendering' ? [{ type: 'VideoDownloadStarted', data: fact }] : []
    case 'Succeed':
      return succeed(command.file, task, fact)
    case 'Fail': {
      if (status === 'failed' || status === 'succeeded') return []
      const jobId = 'jobId' in task ? task.jobId : null
      const { code, detail } = command
      return [{ type: 'VideoTaskFailed', data: { ...fact, userId: task.order.userId, code, detail, jobId } }]
    }
    case 'EndRecovery':
      return status === 'failed' && task.jobId !== null ? [{ type: 'VideoRecoveryEnded', data: fact }] : []
    case 'Delete':
      if (status === 'rendering' || status === 'downloading')
        throw new Rejection('task_in_progress', 'The video is being made and can no longer be cancelled.')
      return remove(task, fact)
    case 'Erase':
      return remove(task, fact)
  }
}

const withLease = (fact: Fact, lease: number | undefined) => (lease === undefined ? fact : { ...fact, lease })

/** Records a takeover. The first worker needs none: its token is in the request. */
function claim(lease: number | undefined, task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  const inProgress = task.status === 'rendering' || task.status === 'downloading'
  if (!inProgress || lease === undefined || lease <= (task.lease ?? 0)) return []
  return [{ type: 'VideoTaskClaimed', data: { ...fact, lease } }]
}

/** Accepts a job from a callback or a late response only while none is known. */
function findRender(jobId: string, task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  if (task.status === 'rendering' && task.jobId === null)
    return [{ type: 'VideoRenderAccepted', data: { ...fact, jobId } }]
  if (task.status === 'failed' && task.jobUnknown)
    return [{ type: 'VideoRenderFound', data: { ...fact, userId: task.order.userId, jobId } }]
  return []
}

function succeed(file: VideoFile, task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  const data = { ...fact, userId: task.order.userId, file }
  if (task.status === 'rendering' || task.status === 'downloading') return [{ type: 'VideoTaskSucceeded', data }]
  if (task.status === 'failed' && task.jobId !== null) return [{ type: 'VideoTaskRecovered', data }]
  return []
}

function remove(task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  const { userId } = task.order
  const deleted = { type: 'VideoTaskDeleted', data: { ...fact, userId } } as const
  if (task.status === 'succeeded' || task.status === 'failed') return [deleted]
  const data = { ...fact, userId, code: 'cancelled', detail: 'Cancelled by its owner.', jobId: null } as const
  return [{ type: 'VideoTaskFailed', data }, deleted]
}

export const videoTask: Decider<VideoTask, VideoTaskCommand, VideoTaskEvent> = {
  category: VIDEO_TASK,
  schemas: VIDEO_TASK_EVENTS,
  initial: { status: 'none' },
  evolve,
  decide,
  hashChained: VIDEO_TASK_CHAINED,
}
