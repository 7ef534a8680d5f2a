import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { storableText } from '../kernel/eventsourcing/pure/storableText.ts'
import type { FailureCode } from './contract.ts'
import { VIDEO_TASK, VIDEO_TASK_EVENTS, type VideoFile, type VideoTaskEvent, type VideoTaskOrder } from './events.ts'
import { evolve, refuseOlderLease, type VideoTask } from './videoTask.rules.ts'

type At = { readonly at: string }
type SimpleCommand = 'Cancel' | 'Queue' | 'Claim' | 'StartRender' | 'StartDownload' | 'Delete' | 'Erase'
/** Workers that run under a lease send its fencing token. */
export type VideoTaskCommand = Ask & { readonly lease?: number | undefined }

type Ask =
  | ({ readonly type: 'Submit'; readonly order: VideoTaskOrder } & At)
  /** Unlike `Delete`, `Erase` also ends a rendering task, because the account is being erased. */
  | ({ readonly type: SimpleCommand } & At)
  /** `attempt` tells the worker whether the request in the stream is its own. */
  | ({
      readonly type: 'RequestRender'
      readonly attempt: string
      readonly provider: string
      readonly engineModel?: string
    } & At)
  | ({ readonly type: 'PostponeRender'; readonly detail: string; readonly refused?: true; readonly bound?: true } & At)
  | ({ readonly type: 'ReportCost'; readonly seconds?: number; readonly costCents?: number } & At)
  /** `FindRender` comes from a callback, `AcceptRender` from the provider's response. */
  | ({ readonly type: 'AcceptRender'; readonly jobId: string } & At)
  | ({ readonly type: 'FindRender'; readonly provider: string; readonly jobId: string } & At)
  | ({ readonly type: 'Succeed'; readonly file: VideoFile } & At)
  | ({ readonly type: 'Fail'; readonly code: FailureCode; readonly detail: string } & At)
  | ({ readonly type: 'Show'; readonly shownTo: string | null } & At)
  | ({ readonly type: 'Abandon'; readonly taskId: string } & At)
  | ({ readonly type: 'EndRecovery' } & At)

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
    case 'EndRecovery': {
      const taskId = recoveringId(task)
      return taskId === undefined ? [] : [{ type: 'VideoRecoveryEnded', data: { taskId, at } }]
    }
    default:
      if (command.type === 'Succeed' || command.type === 'Fail') refuseOlderLease(task, command.lease)
      return 'order' in task ? decideOpen(command, task, { taskId: task.order.taskId, at }) : []
  }
}

/** Returns the id of a task whose recovery has not ended. */
function recoveringId(task: VideoTask): string | undefined {
  if (task.status === 'deleted') return task.recovering
  return task.status === 'failed' && task.jobId !== null ? task.order.taskId : undefined
}

type Ordered = Extract<VideoTask, { order: VideoTaskOrder }>
type Fact = { readonly taskId: string; readonly at: string }

type OpenCommand = Exclude<VideoTaskCommand, { type: 'Submit' | 'Abandon' | 'EndRecovery' }>

function decideOpen(command: OpenCommand, task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  const { status } = task
  switch (command.type) {
    case 'Queue':
      return status === 'waiting' && !task.queued ? [{ type: 'VideoTaskQueued', data: fact }] : []
    case 'RequestRender':
      if (status !== 'waiting') return []
      return [{ type: 'VideoRenderRequested', data: { ...withLease(fact, command.lease), ...askedOf(command) } }]
    case 'Claim':
      return claim(command.lease, task, fact)
    case 'AcceptRender': {
      if (status !== 'rendering') return findRender(command.jobId, task, fact)
      // A job that ends its engine would otherwise be queued again for ever.
      if (task.jobId === command.jobId && (task.startedAt === null || task.queuedAgain)) return []
      return [{ type: 'VideoRenderAccepted', data: { ...fact, jobId: command.jobId } }]
    }
    case 'FindRender':
      // Another provider, which had refused the task, does not know the job of this one.
      if (!('provider' in task) || task.provider !== command.provider) return []
      return findRender(command.jobId, task, fact)
    case 'PostponeRender': {
      if (status !== 'rendering' || task.jobId !== null) return []
      if (task.cancelRequestedAt) return [cancelled(task, fact)]
      const { refused, bound } = command
      const why = { ...(refused ? { refused } : {}), ...(bound ? { bound } : {}) }
      return [{ type: 'VideoRenderPostponed', data: { ...fact, detail: detailOf(command), ...why } }]
    }
    case 'Cancel':
      return cancel(task, fact)
    case 'ReportCost': {
      if (status !== 'rendering' || task.costReported) return []
      const { seconds, costCents } = command
      const cost = { ...(seconds === undefined ? {} : { seconds }), ...(costCents === undefined ? {} : { costCents }) }
      return [{ type: 'VideoCostReported', data: { ...fact, ...cost } }]
    }
    case 'StartRender':
      return status === 'rendering' && task.startedAt === null ? [{ type: 'VideoRenderStarted', data: fact }] : []
    case 'StartDownload':
      if (status !== 'rendering') return []
      return task.cancelRequestedAt ? [cancelled(task, fact)] : [{ type: 'VideoDownloadStarted', data: fact }]
    case 'Succeed':
      return succeed(command.file, task, fact)
    case 'Fail': {
      if (status === 'failed' || status === 'succeeded') return []
      if (status === 'rendering' && task.cancelRequestedAt) return [cancelled(task, fact)]
      const jobId = 'jobId' in task ? task.jobId : null
      const { userId } = task.order
      return [
        { type: 'VideoTaskFailed', data: { ...fact, userId, code: command.code, detail: detailOf(command), jobId } },
      ]
    }
    case 'Show': {
      const { shownTo } = command
      if ((task.order.shownTo ?? null) === shownTo) return []
      return [{ type: 'VideoVisibilitySet', data: { ...fact, userId: task.order.userId, shownTo } }]
    }
    case 'Delete':
      if (status === 'rendering' || status === 'downloading')
        throw new Rejection('task_in_progress', 'The video is being made and can no longer be cancelled.')
      return remove(task, fact)
    case 'Erase':
      return remove(task, fact)
  }
}

const MAX_DETAIL = 1_000
/** A provider's error text must not keep a task from ending, because its credits are held until then. */
const detailOf = ({ detail }: { detail: string }) => storableText(detail, MAX_DETAIL)

const askedOf = ({ attempt, provider, engineModel }: Extract<Ask, { type: 'RequestRender' }>) => ({
  attempt,
  provider,
  ...(engineModel === undefined ? {} : { engineModel }),
})

/** Ends a task as its owner asked. A job that still finishes is neither delivered nor charged. */
const cancelled = ({ order: { userId } }: Ordered, fact: Fact) =>
  ({
    type: 'VideoTaskFailed',
    data: { ...fact, userId, code: 'cancelled', detail: 'Cancelled by its owner.', jobId: null },
  }) as const

/** Ends a waiting task, or asks for a rendering task to be stopped. @throws Rejection cannot_cancel */
function cancel(task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  if (task.status === 'waiting') return [cancelled(task, fact)]
  if (task.status === 'rendering')
    return task.cancelRequestedAt
      ? []
      : [{ type: 'VideoCancelRequested', data: { ...fact, userId: task.order.userId } }]
  if (task.status === 'failed' && task.code === 'cancelled') return []
  throw new Rejection('cannot_cancel', 'This video can no longer be cancelled.')
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
  if (task.status === 'rendering' && task.cancelRequestedAt) return [cancelled(task, fact)]
  if (task.status === 'rendering' || task.status === 'downloading') return [{ type: 'VideoTaskSucceeded', data }]
  if (task.status === 'failed' && task.jobId !== null) return [{ type: 'VideoTaskRecovered', data }]
  return []
}

function remove(task: Ordered, fact: Fact): readonly VideoTaskEvent[] {
  const { userId } = task.order
  const deleted = { type: 'VideoTaskDeleted', data: { ...fact, userId } } as const
  if (task.status === 'succeeded' || task.status === 'failed') return [deleted]
  return [cancelled(task, fact), deleted]
}

export const videoTask: Decider<VideoTask, VideoTaskCommand, VideoTaskEvent> = {
  category: VIDEO_TASK,
  schemas: VIDEO_TASK_EVENTS,
  initial: { status: 'none' },
  evolve,
  decide,
  begins: ({ type }) => type === 'Submit',
  hashChained: true,
}
