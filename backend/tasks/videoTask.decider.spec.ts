import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { VideoTaskEvent } from './events.ts'
import { A_FILE, AN_ATTEMPT, anOrder } from './testing/anOrder.ts'
import { type VideoTaskCommand, videoTask } from './videoTask.decider.ts'
import { isCharged, releaseReason } from './videoTask.rules.ts'

const given = specification(videoTask)
const taskId = 'task'
const userId = 'user'
const at = '2026-01-01T00:00:00.000Z'
const fact = { taskId, at }
const file = A_FILE
const order = anOrder({ cameraMovements: ['左移'] })

const submitted: VideoTaskEvent = { type: 'VideoTaskSubmitted', data: { ...order, at } }
const queued: VideoTaskEvent = { type: 'VideoTaskQueued', data: fact }
const requested: VideoTaskEvent = { type: 'VideoRenderRequested', data: { ...fact, ...AN_ATTEMPT } }
const accepted: VideoTaskEvent = { type: 'VideoRenderAccepted', data: { ...fact, jobId: 'job' } }
const found: VideoTaskEvent = { type: 'VideoRenderFound', data: { ...fact, userId, jobId: 'job' } }
const postponed: VideoTaskEvent = { type: 'VideoRenderPostponed', data: { ...fact, detail: 'busy' } }
const started: VideoTaskEvent = { type: 'VideoRenderStarted', data: fact }
const downloading: VideoTaskEvent = { type: 'VideoDownloadStarted', data: fact }
const succeeded: VideoTaskEvent = { type: 'VideoTaskSucceeded', data: { ...fact, userId, file } }
const cancelRequested: VideoTaskEvent = { type: 'VideoCancelRequested', data: { ...fact, userId } }
const reported: VideoTaskEvent = { type: 'VideoCostReported', data: { ...fact, seconds: 6, costCents: 28 } }
const recovered: VideoTaskEvent = { type: 'VideoTaskRecovered', data: { ...fact, userId, file } }
const recoveryEnded: VideoTaskEvent = { type: 'VideoRecoveryEnded', data: fact }
const abandoned: VideoTaskEvent = { type: 'VideoTaskAbandoned', data: fact }
const deleted: VideoTaskEvent = { type: 'VideoTaskDeleted', data: { ...fact, userId } }
const cancelled: VideoTaskEvent = {
  type: 'VideoTaskFailed',
  data: { ...fact, userId, code: 'cancelled', detail: 'Cancelled by its owner.', jobId: null },
}
type Code = 'provider_failed' | 'render_timed_out' | 'answer_lost' | 'internal'
const failed = (jobId: string | null, code: Code = 'provider_failed') =>
  ({ type: 'VideoTaskFailed', data: { ...fact, userId, code, detail: 'why', jobId } }) as const

const submit: VideoTaskCommand = { type: 'Submit', order, at }
const abandon: VideoTaskCommand = { type: 'Abandon', taskId, at }
const accept: VideoTaskCommand = { type: 'AcceptRender', jobId: 'job', at }
const succeed: VideoTaskCommand = { type: 'Succeed', file, at }
const find: VideoTaskCommand = { type: 'FindRender', provider: AN_ATTEMPT.provider, jobId: 'job', at }
const request: VideoTaskCommand = { type: 'RequestRender', ...AN_ATTEMPT, at }
const postpone: VideoTaskCommand = { type: 'PostponeRender', detail: 'busy', at }
const fail = (code: Code = 'provider_failed'): VideoTaskCommand => ({ type: 'Fail', code, detail: 'why', at })
const simple = (type: 'Cancel' | 'Queue' | 'StartRender' | 'StartDownload' | 'Delete' | 'Erase' | 'EndRecovery') =>
  ({ type, at }) as const

/** Every state of a task, with the events that lead to it. */
const STATES = {
  none: [],
  waiting: [submitted],
  queued: [submitted, queued],
  requested: [submitted, requested],
  postponed: [submitted, queued, requested, postponed],
  accepted: [submitted, queued, requested, accepted],
  rendering: [submitted, queued, requested, accepted, started],
  stoppingAsked: [submitted, requested, cancelRequested],
  stopping: [submitted, queued, requested, accepted, started, cancelRequested],
  downloading: [submitted, queued, requested, accepted, started, downloading],
  succeeded: [submitted, requested, accepted, downloading, succeeded],
  failed: [submitted, requested, accepted, failed('job')],
  timedOut: [submitted, requested, accepted, failed('job', 'render_timed_out')],
  broken: [submitted, requested, accepted, failed('job', 'internal')],
  lost: [submitted, requested, failed(null, 'answer_lost')],
  found: [submitted, requested, failed(null, 'answer_lost'), found],
  givenUp: [submitted, requested, accepted, failed('job', 'render_timed_out'), recoveryEnded],
  recovered: [submitted, requested, accepted, failed('job', 'render_timed_out'), recovered],
  cancelled: [submitted, cancelled],
  deleted: [submitted, requested, accepted, downloading, succeeded, deleted],
  deletedLate: [submitted, requested, accepted, failed('job', 'render_timed_out'), deleted],
  abandoned: [abandoned],
} as const satisfies Record<string, readonly VideoTaskEvent[]>
type State = keyof typeof STATES

/** What a deletion decides unless the provider is at work. */
const DELETED_AT_REST = {
  waiting: [cancelled, deleted],
  queued: [cancelled, deleted],
  postponed: [cancelled, deleted],
  succeeded: [deleted],
  failed: [deleted],
  timedOut: [deleted],
  broken: [deleted],
  lost: [deleted],
  found: [deleted],
  givenUp: [deleted],
  recovered: [deleted],
  cancelled: [deleted],
} as const

/** The outcome of each command by state. In an unlisted state, nothing is decided. */
const TABLE: readonly (readonly [
  VideoTaskCommand,
  Partial<Record<State, readonly VideoTaskEvent[] | 'task_in_progress' | 'task_abandoned' | 'cannot_cancel'>>,
])[] = [
  [submit, { none: [submitted], abandoned: 'task_abandoned' }],
  [abandon, { none: [abandoned] }],
  [simple('Queue'), { waiting: [queued] }],
  [request, { waiting: [requested], queued: [requested], postponed: [requested] }],
  [
    accept,
    { requested: [accepted], rendering: [accepted], stoppingAsked: [accepted], stopping: [accepted], lost: [found] },
  ],
  [find, { requested: [accepted], stoppingAsked: [accepted], lost: [found] }],
  [postpone, { requested: [postponed], stoppingAsked: [cancelled] }],
  [simple('StartRender'), { requested: [started], accepted: [started], stoppingAsked: [started] }],
  [
    simple('StartDownload'),
    {
      requested: [downloading],
      accepted: [downloading],
      rendering: [downloading],
      stoppingAsked: [cancelled],
      stopping: [cancelled],
    },
  ],
  [
    simple('Cancel'),
    {
      waiting: [cancelled],
      queued: [cancelled],
      postponed: [cancelled],
      requested: [cancelRequested],
      accepted: [cancelRequested],
      rendering: [cancelRequested],
      downloading: 'cannot_cancel',
      succeeded: 'cannot_cancel',
      failed: 'cannot_cancel',
      timedOut: 'cannot_cancel',
      broken: 'cannot_cancel',
      lost: 'cannot_cancel',
      found: 'cannot_cancel',
      givenUp: 'cannot_cancel',
      recovered: 'cannot_cancel',
    },
  ],
  [
    { type: 'ReportCost', seconds: 6, costCents: 28, at },
    {
      requested: [reported],
      accepted: [reported],
      rendering: [reported],
      stoppingAsked: [reported],
      stopping: [reported],
    },
  ],
  [
    succeed,
    {
      requested: [succeeded],
      accepted: [succeeded],
      rendering: [succeeded],
      stoppingAsked: [cancelled],
      stopping: [cancelled],
      downloading: [succeeded],
      timedOut: [recovered],
      broken: [recovered],
      found: [recovered],
    },
  ],
  [
    fail(),
    {
      waiting: [failed(null)],
      queued: [failed(null)],
      postponed: [failed(null)],
      requested: [failed(null)],
      accepted: [failed('job')],
      rendering: [failed('job')],
      stoppingAsked: [cancelled],
      stopping: [cancelled],
      downloading: [failed('job')],
    },
  ],
  [
    simple('EndRecovery'),
    { timedOut: [recoveryEnded], broken: [recoveryEnded], found: [recoveryEnded], deletedLate: [recoveryEnded] },
  ],
  [
    simple('Delete'),
    {
      ...DELETED_AT_REST,
      requested: 'task_in_progress',
      accepted: 'task_in_progress',
      rendering: 'task_in_progress',
      stoppingAsked: 'task_in_progress',
      stopping: 'task_in_progress',
      downloading: 'task_in_progress',
    },
  ],
  [
    simple('Erase'),
    {
      ...DELETED_AT_REST,
      requested: [cancelled, deleted],
      accepted: [cancelled, deleted],
      rendering: [cancelled, deleted],
      stoppingAsked: [cancelled, deleted],
      stopping: [cancelled, deleted],
      downloading: [cancelled, deleted],
    },
  ],
]

describe.each(TABLE.map(([command, outcomes]) => ({ name: command.type, command, outcomes })))(
  'the command $name on a video task',
  ({ command, outcomes }) => {
    it('begins its stream if it submits', () => expect(videoTask.begins?.(command)).toBe(command === submit))
    for (const [state, facts] of Object.entries(STATES)) {
      const outcome = outcomes[state as State]
      if (outcome === undefined)
        it(`decides nothing when ${state}`, () =>
          given(...facts)
            .when(command)
            .decidesNothing())
      else if (typeof outcome === 'string')
        it(`is rejected when ${state}: ${outcome}`, () =>
          given(...facts)
            .when(command)
            .rejects(outcome))
      else
        it(`decides ${outcome.map(({ type }) => type).join(' and ')} when ${state}`, () =>
          given(...facts)
            .when(command)
            .decides(...outcome))
    }
  },
)

const fold = (...events: readonly VideoTaskEvent[]) => events.reduce(videoTask.evolve, videoTask.initial)

describe('the end of a video task', () => {
  it('is recorded once: a cancellation blocks a later rendering', () => {
    given(...STATES.queued, cancelled, deleted)
      .when(request)
      .decidesNothing()
  })
  it('is recorded once: a rendering blocks a later cancellation', () => {
    given(...STATES.queued, requested)
      .when(simple('Delete'))
      .rejects('task_in_progress')
  })
  it('is charged only after a success, even if the task is deleted later', () => {
    const charged = Object.entries(STATES).filter(([, facts]) => isCharged(fold(...facts)))
    expect(charged.map(([state]) => state)).toEqual(['succeeded', 'deleted'])
    expect(isCharged(fold(...STATES.recovered, deleted))).toBe(false)
    expect(isCharged(fold(submitted, cancelled, deleted))).toBe(false)
  })
  it('is cancelled only if its owner deletes it before it has failed', () => {
    expect(releaseReason(fold(submitted, cancelled, deleted))).toBe('cancelled')
    expect(releaseReason(fold(...STATES.failed, deleted))).toBe('not delivered')
    expect(releaseReason(fold(...STATES.failed))).toBe('not delivered')
    expect(releaseReason(fold(...STATES.recovered, deleted))).toBe('not delivered')
  })
  it('needs no recovery if the task never reached the provider', () => {
    given(submitted, requested, failed(null, 'render_timed_out')).when(succeed).decidesNothing()
  })
  it('keeps the newest job if the provider lost the first', () => {
    const again: VideoTaskEvent = { type: 'VideoRenderAccepted', data: { ...fact, jobId: 'another' } }
    given(...STATES.rendering)
      .when({ ...accept, jobId: 'another' } as VideoTaskCommand)
      .decides(again)
    given(...STATES.rendering, again)
      .when(fail('render_timed_out'))
      .decides(failed('another', 'render_timed_out'))
  })
  it('accepts no callback if the provider cannot have created a job', () => {
    given(submitted, failed(null, 'render_timed_out')).when(find).decidesNothing()
    given(submitted, requested, failed(null)).when(find).decidesNothing()
  })
  it('accepts no callback of a provider that was asked before', () => {
    const other = { ...find, provider: 'asked before' } as const
    given(submitted, requested).when(other).decidesNothing()
    given(...STATES.lost)
      .when(other)
      .decidesNothing()
  })
  it('ignores another callback about a found job after its recovery has ended', () => {
    given(...STATES.found, recoveryEnded)
      .when(find)
      .decidesNothing()
  })
  it('keeps the id of the job that may still finish', () => {
    given(...STATES.rendering)
      .when(fail('render_timed_out'))
      .decides(failed('job', 'render_timed_out'))
  })
})
