import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import type { FailureCode } from '#backend/tasks/contract.ts'
import type { VideoTaskEvent } from '#backend/tasks/events.ts'
import { A_FILE, AN_ATTEMPT, anOrder } from '#backend/tasks/testing/anOrder.ts'

const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`

/** Returns the possible events of a video task, with timestamps in seconds from submission. */
export const taskEvents = (taskId: string, userId: string) => {
  const at = (second: number) => ({ taskId, at: time(second) })
  const file = { ...A_FILE, size: 1234, durationMs: 5_880 }
  return {
    submitted: {
      type: 'VideoTaskSubmitted',
      data: {
        ...anOrder(),
        ...at(0),
        userId,
        taskType: 'image_to_video',
        cameraMovements: ['左移', '固定'],
        promptOptimizer: false,
        firstFrame: '00000000-0000-7000-8000-00000000000f',
      },
    },
    queued: { type: 'VideoTaskQueued', data: at(1) },
    requested: { type: 'VideoRenderRequested', data: { ...at(2), ...AN_ATTEMPT } },
    accepted: { type: 'VideoRenderAccepted', data: { ...at(3), jobId: 'job' } },
    postponed: { type: 'VideoRenderPostponed', data: { ...at(3), detail: 'too many calls' } },
    found: { type: 'VideoRenderFound', data: { ...at(8), userId, jobId: 'job' } },
    started: { type: 'VideoRenderStarted', data: at(4) },
    downloading: { type: 'VideoDownloadStarted', data: at(5) },
    succeeded: { type: 'VideoTaskSucceeded', data: { ...at(6), userId, file } },
    recovered: { type: 'VideoTaskRecovered', data: { ...at(8), userId, file } },
    recoveryEnded: { type: 'VideoRecoveryEnded', data: at(9) },
    abandoned: { type: 'VideoTaskAbandoned', data: at(0) },
    deleted: { type: 'VideoTaskDeleted', data: { ...at(10), userId } },
  } as const satisfies Record<string, VideoTaskEvent>
}

export const taskFailed = (
  taskId: string,
  userId: string,
  code: FailureCode,
  jobId: string | null,
): VideoTaskEvent => ({ type: 'VideoTaskFailed', data: { taskId, userId, code, detail: 'why', jobId, at: time(7) } })

/** Returns the events of a user's tasks at various stages. */
export const tasksAtStages = (userId: string, count: number) =>
  Array.from({ length: count }, (_, n) => {
    const e = taskEvents(uuid7(), userId)
    const course = [e.submitted, e.queued, e.requested, e.started, e.downloading, e.succeeded, e.deleted]
    return course.slice(0, 1 + (n % course.length))
  })
