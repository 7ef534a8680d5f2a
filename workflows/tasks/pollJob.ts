import type { RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { providerOf, routeTaken } from './candidateRoutes.ts'
import { createJob } from './createJob.ts'
import type { RenderOutcome } from './generateVideo.workflow.ts'
import { failure, READ_INTERVAL_MS, RENDER_LIMIT_MS, type RenderDeps, type Rendering } from './rendering.ts'
import { readRequest } from './renderRequest.ts'
import { WAIT_LIMIT_MS } from './taskCommands.ts'

/** Longest duration of a provider call. Until it has passed, another process may still receive the response. */
const MAX_CALL_MS = 65_000
/** Time after which a cancelled task ends although every call that stops its job has failed. */
const STOP_LIMIT_MS = 60_000

const TIMED_OUT = failure('render_timed_out', 'No video came within 30 minutes.')
const WAITED = failure('waited_too_long', 'The engine did not begin within six hours.')
const LOST = failure('answer_lost', 'It is unknown whether the provider was reached.')
const CANCELLED = failure('cancelled', 'Cancelled by its owner.')

/** Polls the job until it ends. Returns undefined if the task must be read again. */
export async function pollJob(
  deps: RenderDeps,
  state: Rendering,
  signal: AbortSignal,
): Promise<RenderOutcome | undefined> {
  const { taskId } = state.order
  let { startedAt } = state
  let shown = false
  /** Returns how the render fails if its time is over. A job that has not begun leaves the queue of its engine. */
  const over = async () => {
    const late = failureAt(deps, { ...state, startedAt })
    if (late === WAITED && state.jobId !== null)
      await deps.providers
        .get(state.provider)
        ?.cancel(state.jobId, signal)
        .catch(() => {})
    return late
  }
  for (;;) {
    signal.throwIfAborted()
    let job: RenderState
    try {
      const provider = providerOf(deps.providers, state.provider)
      if (isCancelled(state) && (await stopJob(provider, state, signal))) return CANCELLED
      job = state.jobId === null ? { kind: 'unknown' } : await provider.state(state.jobId, signal)
      if (job.kind === 'unknown' && provider.idempotent) {
        const late = await over()
        if (late) return late
        const request = await readRequest(deps, state.order, routeTaken(state))
        return await createJob(deps, state, request, { signal, repeated: true })
      }
    } catch (error) {
      // The deadlines also apply while the provider is unreachable.
      const late = await over()
      if (late) return late
      throw error
    }
    if (job.kind === 'finished') {
      await reportCost(deps, taskId, job)
      return { kind: 'finished' }
    }
    if (job.kind === 'failed') return job
    if (job.kind === 'unknown')
      return isUncalled(deps, state) ? postpone(deps, taskId) : waitForAnswer(deps, state, signal)
    const read =
      job.kind === 'rendering'
        ? await deps.sendCommand(taskId, { type: 'StartRender', at: deps.at() })
        : await deps.readTask(taskId)
    // The account was erased, another worker has started the download, or the owner has cancelled the task.
    if (read.status !== 'rendering') return undefined
    if (isCancelled(read) !== isCancelled(state)) return undefined
    const told = job.kind === 'rendering' && job.percent !== undefined
    if (told || shown) await deps.showProgress(taskId, job.kind === 'rendering' ? job : undefined)
    shown = told
    startedAt = read.startedAt
    const late = await over()
    if (late) return late
    await deps.waitForCallback(taskId, providerOf(deps.providers, state.provider).pollIntervalMs, signal)
  }
}

/**
 * Returns how a render fails whose time is over: 30 minutes since the request, or a minute since the cancellation of a job that
 * could not be stopped. In the queue of an own engine a job waits as long as a task waits here, and its 30 minutes begin when it
 * does.
 */
function failureAt({ clock, providers }: RenderDeps, state: Rendering) {
  const { provider, jobId, submittedAt, requestedAt, startedAt, cancelRequestedAt } = state
  const passed = (instant: string, ms: number) => clock() >= Date.parse(instant) + ms
  if (cancelRequestedAt !== undefined && jobId !== null && passed(cancelRequestedAt, STOP_LIMIT_MS)) return CANCELLED
  if (!providers.get(provider)?.ownQueue) return passed(requestedAt, RENDER_LIMIT_MS) ? TIMED_OUT : undefined
  if (startedAt !== null) return passed(startedAt, RENDER_LIMIT_MS) ? TIMED_OUT : undefined
  return passed(submittedAt, WAIT_LIMIT_MS) && passed(requestedAt, RENDER_LIMIT_MS) ? WAITED : undefined
}

/** Returns whether this process made the request, but did not call the provider. */
const isUncalled = ({ uncalled }: RenderDeps, { order, attempt }: Rendering) => uncalled.get(order.taskId) === attempt

const isCancelled = ({ cancelRequestedAt }: Rendering) => cancelRequestedAt !== undefined

/** Lets a task wait for its turn again. */
async function postpone(deps: RenderDeps, taskId: string): Promise<undefined> {
  const detail = 'The provider was not called.'
  await deps.sendCommand(taskId, { type: 'PostponeRender', detail, at: deps.at() }, { repeatable: true })
}

/**
 * Stops the job of a cancelled task. Returns whether the task can end now: whatever the provider answers, its video is
 * not delivered. While a response that names the job may still come, it cannot.
 */
async function stopJob(provider: VideoProvider, { jobId }: Rendering, signal: AbortSignal): Promise<boolean> {
  if (jobId !== null) await provider.cancel(jobId, signal)
  return jobId !== null || provider.idempotent
}

/** Records what a finished video has cost, if the provider says so. */
async function reportCost(deps: RenderDeps, taskId: string, job: Extract<RenderState, { kind: 'finished' }>) {
  const { kind: _, ...cost } = job
  if (Object.keys(cost).length > 0) await deps.sendCommand(taskId, { type: 'ReportCost', ...cost, at: deps.at() })
}

/** Waits for a response that names the job, which another process may still receive, or until its provider can find it. */
async function waitForAnswer(deps: RenderDeps, { jobId, order, requestedAt }: Rendering, signal: AbortSignal) {
  const left = Date.parse(requestedAt) + MAX_CALL_MS - deps.clock()
  if (jobId !== null && left <= 0) return failure('provider_failed', 'The provider has lost the job.')
  if (jobId === null && (left <= 0 || deps.unanswered.delete(order.taskId))) return LOST
  await deps.delay(Math.min(left, READ_INTERVAL_MS), signal)
  return undefined
}
