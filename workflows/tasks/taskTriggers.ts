import { OPEN_ENDED, payerOf, VIDEO_TASK, VIDEO_TASK_EVENTS, type VideoTaskEvent } from '#backend/tasks/events.ts'
import type { LogTrigger, OpenWork } from '../engine/logTriggers.ts'
import type { RowTrigger } from '../engine/rowTriggers.ts'
import type { Start } from '../engine/starts.ts'
import { type GenerateVideoInput, generateVideo, TURN } from './generateVideo.workflow.ts'
import { recoverVideo } from './recoverVideo.workflow.ts'
import { removeMedia } from './removeMedia.workflow.ts'

type ReadOpenWork<Input> = () => Promise<OpenWork<Input>>
type Generation = GenerateVideoInput & { readonly priority: number }
/** Settles a task that has already ended. Returns how far the task is. */
export type SettleIfEnded = (input: GenerateVideoInput) => Promise<'ended' | 'in progress' | 'waiting'>

/** Starts `generateVideo` for each submitted task that has not ended, by the priority of its owner's plan. */
export function generationTrigger(
  readOpenWork: ReadOpenWork<Generation>,
  settleIfEnded: SettleIfEnded,
): LogTrigger<VideoTaskEvent, Generation> {
  const generate = ({ taskId, userId, priority }: Generation): Start => ({
    entity: taskId,
    priority,
    async run(engine) {
      const input = { taskId, userId }
      const stage = await settleIfEnded(input)
      if (stage === 'ended') return
      await engine.start(generateVideo, input, { priority, owner: userId, resumed: stage === 'in progress' })
    },
  })
  return {
    category: VIDEO_TASK,
    schemas: VIDEO_TASK_EVENTS,
    readOpenWork,
    resume: generate,
    react: ({ type, data }) =>
      type === 'VideoTaskSubmitted' ? generate({ ...data, userId: payerOf(data) }) : undefined,
  }
}

const recover = ({ taskId, userId }: GenerateVideoInput): Start => ({
  entity: taskId,
  priority: 5,
  run: (engine) => engine.start(recoverVideo, { taskId, userId }),
})

/** Starts `recoverVideo` for each failed render that may still finish. Wakes `generateVideo` on other failures. */
export const recoveryTrigger = (
  readOpenWork: ReadOpenWork<GenerateVideoInput>,
): LogTrigger<VideoTaskEvent, GenerateVideoInput> => ({
  category: VIDEO_TASK,
  schemas: VIDEO_TASK_EVENTS,
  readOpenWork,
  resume: recover,
  react({ type, data }) {
    if (type === 'VideoRenderFound') return recover(data)
    if (type !== 'VideoTaskFailed') return undefined
    const { taskId, jobId, code } = data
    if (jobId !== null && OPEN_ENDED.includes(code)) return recover(data)
    return { entity: taskId, priority: 1, run: (engine) => engine.signal(generateVideo, data, TURN) }
  },
})

export const removalTrigger = (waiting: RowTrigger['waiting']): RowTrigger => ({
  waiting,
  start: (engine, taskId) => engine.start(removeMedia, { taskId }),
})
