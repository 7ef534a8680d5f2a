import type { FailureCode } from '#backend/tasks/contract.ts'
import type { VideoTaskEvent } from '#backend/tasks/events.ts'

const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`

/** The facts of one video task, each a second after the one before it in its usual course. */
export const taskEvents = (taskId: string, userId: string) => {
  const fact = (second: number) => ({ taskId, at: time(second) })
  const file = { size: 1234, durationMs: 5_880, width: 1366, height: 768 }
  return {
    submitted: {
      type: 'VideoTaskSubmitted',
      data: {
        ...fact(0),
        userId,
        taskType: 'image_to_video',
        model: 'MiniMax-Hailuo-02',
        resolution: '768P',
        duration: 6,
        encryptedPrompt: 'sealed',
        cameraMovements: ['左移', '固定'],
        promptOptimizer: false,
        firstFrame: '00000000-0000-7000-8000-00000000000f',
        credits: 30,
        priority: 4,
      },
    },
    queued: { type: 'VideoTaskQueued', data: fact(1) },
    requested: { type: 'VideoRenderRequested', data: fact(2) },
    accepted: { type: 'VideoRenderAccepted', data: { ...fact(3), jobId: 'job' } },
    postponed: { type: 'VideoRenderPostponed', data: { ...fact(3), detail: 'too many calls' } },
    found: { type: 'VideoRenderFound', data: { ...fact(8), userId, jobId: 'job' } },
    started: { type: 'VideoRenderStarted', data: fact(4) },
    downloading: { type: 'VideoDownloadStarted', data: fact(5) },
    succeeded: { type: 'VideoTaskSucceeded', data: { ...fact(6), userId, file } },
    recovered: { type: 'VideoTaskRecovered', data: { ...fact(8), userId, file } },
    recoveryEnded: { type: 'VideoRecoveryEnded', data: fact(9) },
    abandoned: { type: 'VideoTaskAbandoned', data: fact(0) },
    deleted: { type: 'VideoTaskDeleted', data: { ...fact(10), userId } },
  } as const satisfies Record<string, VideoTaskEvent>
}

export const taskFailed = (
  taskId: string,
  userId: string,
  code: FailureCode,
  jobId: string | null,
): VideoTaskEvent => ({ type: 'VideoTaskFailed', data: { taskId, userId, code, detail: 'why', jobId, at: time(7) } })
