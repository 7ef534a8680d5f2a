import { setTimeout as delay } from 'node:timers/promises'
import type { RenderRequest, RenderState } from '#backend/tasks/videoProvider.ts'
import type { VideoTask } from '#backend/tasks/videoTask.ts'
import type { ActivityContext } from './engine.ts'
import type { ActivityDeps, TaskCommands } from './taskCommands.ts'
import type { RenderOutcome } from './tasks/generateVideo.ts'

export const RENDER_LIMIT_MS = 30 * 60_000
const TIMED_OUT = { kind: 'failed', code: 'render_timed_out', detail: 'No video came within 30 minutes.' } as const

/**
 * Asks the provider for the video and looks at the job until it has an answer, or until 30 minutes have passed since it
 * was asked. What is thrown is tried again and goes on where it stood.
 */
export async function renderVideo(
  deps: ActivityDeps,
  { at, give: task, look, endIfWaitedTooLong }: TaskCommands,
  taskId: string,
  { signal, heartbeat }: ActivityContext,
): Promise<RenderOutcome> {
  const { provider, now } = deps
  if (await endIfWaitedTooLong(taskId, await look(taskId))) return { kind: 'over' }
  const requestedAt = at()
  const state = await task(taskId, { type: 'RequestRender', at: requestedAt })
  if (state.status === 'downloading') return { kind: 'finished' }
  if (state.status !== 'rendering') return { kind: 'over' }
  const isNew = state.requestedAt === requestedAt
  if (state.jobId === null && !isNew && !provider.idempotent)
    return { kind: 'failed', code: 'provider_failed', detail: 'It is unknown whether the provider was reached.' }
  const ask = async () => {
    const answer = await provider.create(await requestOf(deps, state))
    if (answer.kind === 'accepted') await task(taskId, { type: 'AcceptRender', jobId: answer.jobId, at: at() })
    return answer
  }
  let jobId = state.jobId
  const deadline = Date.parse(state.requestedAt) + RENDER_LIMIT_MS
  for (;;) {
    signal.throwIfAborted()
    let job: RenderState
    try {
      if (jobId === null) {
        const answer = await ask()
        if (answer.kind === 'refused') return { ...answer, kind: 'failed' }
        jobId = answer.jobId
      }
      job = await provider.state(jobId)
    } catch (error) {
      // A provider that cannot be reached is waited for, but no longer than for a slow one.
      if (now() >= deadline) return TIMED_OUT
      throw error
    }
    heartbeat()
    if (job.kind === 'finished') return { kind: 'finished' }
    if (job.kind === 'failed') return job
    const isRendering = job.kind === 'rendering'
    const { status } = isRendering ? await task(taskId, { type: 'StartRender', at: at() }) : await look(taskId)
    // Erased with its account meanwhile: nobody waits for it any more.
    if (status !== 'rendering') return { kind: 'over' }
    if (job.kind === 'rendering') await deps.showProgress(taskId, job.percent)
    if (now() >= deadline) return TIMED_OUT
    if (job.kind === 'unknown') {
      if (!provider.idempotent)
        return { kind: 'failed', code: 'provider_failed', detail: 'The provider has lost the job.' }
      jobId = null
    } else await delay(provider.pollMs, undefined, { signal })
  }
}

async function requestOf(
  { decrypt, pictureFile }: ActivityDeps,
  { order }: Extract<VideoTask, { status: 'rendering' | 'downloading' }>,
): Promise<RenderRequest> {
  const { taskId, taskType, model, resolution, duration, promptOptimizer, cameraMovements } = order
  return {
    taskId,
    taskType,
    model,
    resolution,
    duration,
    promptOptimizer,
    cameraMovements,
    prompt: (await decrypt(order.userId, order.encryptedPrompt)) ?? '',
    firstFrame: order.firstFrame === null ? undefined : await pictureFile(order.firstFrame),
  }
}
