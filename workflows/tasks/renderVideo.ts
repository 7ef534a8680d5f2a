import { setTimeout as delay } from 'node:timers/promises'
import type { RenderRequest, RenderState } from '#backend/tasks/videoProvider.port.ts'
import type { VideoTask, VideoTaskCommand } from '#backend/tasks/videoTask.decider.ts'
import type { ActivityContext } from '../engine/engine.port.ts'
import type { Pool } from '../engine/pool.ts'
import type { RenderOutcome } from './generateVideo.workflow.ts'
import type { ActivityDeps, TaskCommands } from './taskCommands.ts'

export const RENDER_LIMIT_MS = 30 * 60_000
/** Of one process: when the provider falls silent, no more than these are in the dark. */
export const ASKED_AT_ONCE = 4
/** A task that waits for the provider is looked at this often: it may be cancelled meanwhile. */
const LOOK_MS = 5_000
const KEEP_TRIES = 7
/** No call to a provider lasts longer: until then, another process may still hear the answer. */
const ANSWER_MS = 65_000

const failure = (code: 'render_timed_out' | 'provider_failed' | 'answer_lost', detail: string) =>
  ({ kind: 'failed', code, detail }) as const
const TIMED_OUT = failure('render_timed_out', 'No video came within 30 minutes.')
const LOST = failure('answer_lost', 'It is unknown whether the provider was reached.')

type Deps = ActivityDeps &
  TaskCommands & {
    readonly asking: Pool
    /** Tasks that this process has asked for in vain: nobody else will hear the answer. */
    readonly unanswered: Set<string>
  }
type Rendering = Extract<VideoTask, { status: 'rendering' | 'downloading' }>
type Waiting = Extract<VideoTask, { status: 'waiting' }>

/**
 * Asks the provider for the video as soon as it may be asked, and looks at the job until it has an answer, or until 30
 * minutes have passed since it was asked. What is thrown is tried again and goes on where it stood.
 */
export async function renderVideo(deps: Deps, taskId: string, context: ActivityContext): Promise<RenderOutcome> {
  for (;;) {
    context.signal.throwIfAborted()
    const state = await deps.readTask(taskId)
    if (await deps.failIfWaitedTooLong(taskId, state)) return { kind: 'over' }
    if (state.status === 'downloading') return { kind: 'finished' }
    if (state.status !== 'waiting' && state.status !== 'rendering') return { kind: 'over' }
    const outcome =
      state.status === 'waiting'
        ? await askInTurn(deps, state, context.signal)
        : await follow(deps, state, context.signal)
    if (outcome) return outcome
  }
}

/**
 * Those that wait for the provider are asked for by priority; owners take turns. Whoever is next keeps the turn until the
 * provider may be asked; meanwhile all see for themselves whether they are over. Nothing: look again.
 */
async function askInTurn(deps: Deps, { order }: Waiting, signal: AbortSignal): Promise<RenderOutcome | undefined> {
  const { taskId, priority, userId: owner } = order
  const waiting = new AbortController()
  const stop = AbortSignal.any([signal, waiting.signal])
  const turn = deps.asking.run({ priority, owner }, async () => {
    while (!stop.aborted) {
      const request = await requestOf(deps, order)
      const wait = await deps.provider.acquire()
      if (wait === 0) {
        waiting.abort()
        return askFirst(deps, taskId, request)
      }
      await delay(Math.min(wait, LOOK_MS), undefined, { signal: stop }).catch(() => {})
    }
    return undefined
  })
  const ended = async () => {
    for (;;) {
      await delay(LOOK_MS, undefined, { signal: stop })
      const state = await deps.readTask(taskId)
      if (stop.aborted) return turn
      if (state.status !== 'waiting' || (await deps.failIfWaitedTooLong(taskId, state))) return undefined
    }
  }
  try {
    return await Promise.race([turn, ended().catch(() => turn)])
  } finally {
    waiting.abort()
  }
}

/** Writes down that the provider is asked, then asks. @throws it is unknown whether the provider took the job */
async function askFirst(deps: Deps, taskId: string, request: RenderRequest): Promise<RenderOutcome | undefined> {
  const requestedAt = deps.at()
  const state = await deps.sendCommand(taskId, { type: 'RequestRender', at: requestedAt }, { repeatable: true })
  return state.status === 'rendering' && state.requestedAt === requestedAt ? ask(deps, request) : undefined
}

async function ask(deps: Deps, request: RenderRequest): Promise<RenderOutcome | undefined> {
  const answer = await deps.provider.create(request).catch((error) => {
    if (!deps.provider.idempotent) deps.unanswered.add(request.taskId)
    throw error
  })
  if (answer.kind === 'refused') return { ...answer, kind: 'failed' }
  const command: VideoTaskCommand =
    answer.kind === 'accepted'
      ? { type: 'AcceptRender', jobId: answer.jobId, at: deps.at() }
      : { type: 'PostponeRender', detail: answer.detail, at: deps.at() }
  // A job whose id is lost is a video that is lost: a database that is away for a moment is waited for.
  for (let attempt = 1; ; attempt++) {
    try {
      await deps.sendCommand(request.taskId, command, { repeatable: true })
      return undefined
    } catch (error) {
      if (attempt === KEEP_TRIES) throw error
      await delay(100 * 2 ** attempt)
    }
  }
}

/** Looks at the job until it has an answer. Nothing: look at the task again. */
async function follow(deps: Deps, state: Rendering, signal: AbortSignal): Promise<RenderOutcome | undefined> {
  const { provider, now } = deps
  const { taskId } = state.order
  const deadline = Date.parse(state.requestedAt) + RENDER_LIMIT_MS
  for (;;) {
    signal.throwIfAborted()
    let job: RenderState
    try {
      job = state.jobId === null ? { kind: 'unknown' } : await provider.state(state.jobId, signal)
      if (job.kind === 'unknown' && provider.idempotent) {
        if (now() >= deadline) return TIMED_OUT
        return await ask(deps, await requestOf(deps, state.order))
      }
    } catch (error) {
      // A provider that cannot be reached is waited for, but no longer than for a slow one.
      if (now() >= deadline) return TIMED_OUT
      throw error
    }
    if (job.kind === 'finished') return { kind: 'finished' }
    if (job.kind === 'failed') return job
    if (job.kind === 'unknown') {
      if (state.jobId !== null) return failure('provider_failed', 'The provider has lost the job.')
      const left = Date.parse(state.requestedAt) + ANSWER_MS - now()
      if (left <= 0 || deps.unanswered.delete(taskId)) return LOST
      await delay(Math.min(left, LOOK_MS), undefined, { signal })
      return undefined
    }
    const isRendering = job.kind === 'rendering'
    const { status } = isRendering
      ? await deps.sendCommand(taskId, { type: 'StartRender', at: deps.at() })
      : await deps.readTask(taskId)
    // Erased with its account meanwhile: nobody waits for it any more.
    if (status !== 'rendering') return { kind: 'over' }
    if (job.kind === 'rendering') await deps.showProgress(taskId, job.percent)
    if (now() >= deadline) return TIMED_OUT
    await deps.waitForCallback(taskId, provider.pollIntervalMs, signal)
  }
}

async function requestOf({ decrypt, pictureFile }: ActivityDeps, order: Waiting['order']): Promise<RenderRequest> {
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
