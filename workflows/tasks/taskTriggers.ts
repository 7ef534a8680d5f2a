import { VIDEO_TASK, type VideoTaskEvent } from '#backend/tasks/events.ts'
import type { Starter } from '../engine/engine.port.ts'
import type { LogTrigger, OpenWork } from '../engine/logTriggers.ts'
import { type GenerateVideoInput, generateVideo, TURN } from './generateVideo.workflow.ts'
import { recoverVideo } from './recoverVideo.workflow.ts'

type ReadOpenWork<Input> = () => Promise<OpenWork<Input>>
type Generation = GenerateVideoInput & { readonly priority: number }

const generate = (engine: Starter, { taskId, userId, priority }: Generation) =>
  engine.start(generateVideo, { taskId, userId }, { priority, owner: userId })

/** Starts `generateVideo` for each submitted task. */
export const generationTrigger = (readOpenWork: ReadOpenWork<Generation>): LogTrigger<VideoTaskEvent, Generation> => ({
  category: VIDEO_TASK,
  readOpenWork,
  resume: generate,
  react: (engine, event) => (event.type === 'VideoTaskSubmitted' ? generate(engine, event.data) : undefined),
})

const recover = (engine: Starter, { taskId, userId }: GenerateVideoInput) =>
  engine.start(recoverVideo, { taskId, userId })

/** Starts `recoverVideo` for each failed render that may still finish. Wakes `generateVideo` on other failures. */
export const recoveryTrigger = (
  readOpenWork: ReadOpenWork<GenerateVideoInput>,
): LogTrigger<VideoTaskEvent, GenerateVideoInput> => ({
  category: VIDEO_TASK,
  readOpenWork,
  resume: recover,
  react(engine, { type, data }) {
    if (type === 'VideoRenderFound') return recover(engine, data)
    if (type !== 'VideoTaskFailed') return
    const mayFinish = data.jobId !== null && (data.code === 'render_timed_out' || data.code === 'answer_lost')
    return mayFinish ? recover(engine, data) : engine.signal(generateVideo, data, TURN)
  },
})
