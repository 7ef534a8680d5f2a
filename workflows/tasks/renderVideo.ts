import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import { aboutPrompt } from '#backend/tasks/promptCipher.port.ts'
import type { RenderRequest, RenderState } from '#backend/tasks/videoProvider.port.ts'
import type { VideoTask, VideoTaskCommand } from '#backend/tasks/videoTask.decider.ts'
import type { ActivityContext } from '../engine/engine.port.ts'
import type { Pool } from '../engine/pool.ts'
import type { RenderOutcome } from './generateVideo.workflow.ts'
import type { ActivityDeps, TaskCommands } from './taskCommands.ts'

export const RENDER_LIMIT_MS = 30 * 60_000
/** Per-process limit. Bounds the number of jobs with an unknown outcome when the provider stops responding. */
export const MAX_CONCURRENT_CREATES = 4
/** Interval at which a waiting task is read again, because it may have been cancelled. */
const READ_INTERVAL_MS = 5_000
const MAX_APPEND_DELAY_MS = 5_000
const MAX_STOPPING_ATTEMPTS = 7
/** Longest duration of a provider call. Until it has passed, another process may still receive the response. */
const MAX_CALL_MS = 65_000

const failure = (code: 'render_timed_out' | 'provider_failed' | 'answer_lost', detail: string) =>
  ({ kind: 'failed', code, detail }) as const
const TIMED_OUT = failure('render_timed_out', 'No video came within 30 minutes.')
const LOST = failure('answer_lost', 'It is unknown whether the provider was reached.')

type Deps = ActivityDeps &
  TaskCommands & {
    readonly calls: Pool
    /** Tasks whose `create` failed in this process. No other process waits for the response. */
    readonly unanswered: Set<string>
  }
type Rendering = Extract<VideoTask, { status: 'rendering' | 'downloading' }>
type Waiting = Extract<VideoTask, { status: 'waiting' }>

/**
 * Creates a job as soon as the rate limit allows it, and polls it until it ends or 30 minutes have passed since the
 * request. A retry continues from the task's events. See docs/decisions/0004-never-ask-a-provider-twice.md.
 */
export async function renderVideo(deps: Deps, taskId: string, context: ActivityContext): Promise<RenderOutcome> {
  if (deps.lease !== undefined) await deps.sendCommand(taskId, { type: 'Claim', at: deps.at() }, { repeatable: true })
  for (;;) {
    context.signal.throwIfAborted()
    const state = await deps.readTask(taskId)
    if (await deps.failIfWaitedTooLong(taskId, state)) return { kind: 'over' }
    if (state.status === 'downloading') return { kind: 'finished' }
    if (state.status !== 'waiting' && state.status !== 'rendering') return { kind: 'over' }
    const outcome =
      state.status === 'waiting'
        ? await createInTurn(deps, state, context.signal)
        : await pollJob(deps, state, context.signal)
    if (outcome) return outcome
  }
}

/**
 * Waits for the rate limiter, by priority and then round-robin among users, and creates the job. Returns early when the
 * task is no longer waiting, and returns undefined if the task must be read again.
 */
async function createInTurn(deps: Deps, { order }: Waiting, signal: AbortSignal): Promise<RenderOutcome | undefined> {
  const { taskId, priority, userId: owner } = order
  const waiting = new AbortController()
  const stop = AbortSignal.any([signal, waiting.signal])
  const turn = deps.calls.run({ priority, owner }, async () => {
    while (!stop.aborted) {
      const request = await requestOf(deps, order)
      const wait = await deps.provider.acquire()
      if (wait === 0) {
        waiting.abort()
        return requestRender(deps, request, signal)
      }
      await delay(Math.min(wait, READ_INTERVAL_MS), undefined, { signal: stop }).catch(() => {})
    }
    return undefined
  })
  const ended = async () => {
    for (;;) {
      await delay(READ_INTERVAL_MS, undefined, { signal: stop })
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

/** Appends the request, then calls the provider. @throws if the call fails; the provider may have created the job */
async function requestRender(deps: Deps, request: RenderRequest, signal: AbortSignal) {
  const attempt = randomUUID()
  const command = { type: 'RequestRender', attempt, at: deps.at() } as const
  const state = await deps.sendCommand(request.taskId, command, { repeatable: true })
  return state.status === 'rendering' && state.attempt === attempt ? createJob(deps, request, signal) : undefined
}

async function createJob(deps: Deps, request: RenderRequest, signal: AbortSignal): Promise<RenderOutcome | undefined> {
  const answer = await deps.provider.create(request).catch((error) => {
    if (!deps.provider.idempotent) deps.unanswered.add(request.taskId)
    throw error
  })
  if (answer.kind === 'refused') return { ...answer, kind: 'failed' }
  const command: VideoTaskCommand =
    answer.kind === 'accepted'
      ? { type: 'AcceptRender', jobId: answer.jobId, at: deps.at() }
      : { type: 'PostponeRender', detail: answer.detail, at: deps.at() }
  // Losing the job id would lose the video, so retry for as long as the log is unreachable. A worker that must stop tries
  // a few times more.
  for (let attempt = 1; ; attempt++) {
    try {
      await deps.sendCommand(request.taskId, command, { repeatable: true })
      return undefined
    } catch (error) {
      const isFinal = error instanceof Rejection || isUnreadable(error)
      if (isFinal || (signal.aborted && attempt >= MAX_STOPPING_ATTEMPTS)) throw error
      await delay(Math.min(100 * 2 ** attempt, MAX_APPEND_DELAY_MS))
    }
  }
}

/** Polls the job until it ends. Returns undefined if the task must be read again. */
async function pollJob(deps: Deps, state: Rendering, signal: AbortSignal): Promise<RenderOutcome | undefined> {
  const { provider, clock } = deps
  const { taskId } = state.order
  const deadline = Date.parse(state.requestedAt) + RENDER_LIMIT_MS
  for (;;) {
    signal.throwIfAborted()
    let job: RenderState
    try {
      job = state.jobId === null ? { kind: 'unknown' } : await provider.state(state.jobId, signal)
      if (job.kind === 'unknown' && provider.idempotent) {
        if (clock() >= deadline) return TIMED_OUT
        return await createJob(deps, await requestOf(deps, state.order), signal)
      }
    } catch (error) {
      // The deadline also applies while the provider is unreachable.
      if (clock() >= deadline) return TIMED_OUT
      throw error
    }
    if (job.kind === 'finished') return { kind: 'finished' }
    if (job.kind === 'failed') return job
    if (job.kind === 'unknown') {
      if (state.jobId !== null) return failure('provider_failed', 'The provider has lost the job.')
      const left = Date.parse(state.requestedAt) + MAX_CALL_MS - clock()
      if (left <= 0 || deps.unanswered.delete(taskId)) return LOST
      await delay(Math.min(left, READ_INTERVAL_MS), undefined, { signal })
      return undefined
    }
    const { status } =
      job.kind === 'rendering'
        ? await deps.sendCommand(taskId, { type: 'StartRender', at: deps.at() })
        : await deps.readTask(taskId)
    // The account was erased, or another worker has started the download.
    if (status !== 'rendering') return undefined
    if (job.kind === 'rendering') await deps.showProgress(taskId, job.percent)
    if (clock() >= deadline) return TIMED_OUT
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
    prompt: (await decrypt(aboutPrompt(order.userId, order.taskId), order.encryptedPrompt)) ?? '',
    firstFrame: order.firstFrame === null ? undefined : await pictureFile(order.firstFrame),
    providerModel: model,
    lastFrame: undefined,
    references: [],
    aspectRatio: undefined,
    seed: undefined,
    negativePrompt: undefined,
    sound: undefined,
  }
}
