import { randomUUID } from 'node:crypto'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import type { FailureCode, Route } from '#backend/tasks/contract.ts'
import { makerOf } from '#backend/tasks/events.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import type { VideoTaskCommand } from '#backend/tasks/videoTask.decider.ts'
import { candidateRoutes, providerOf } from './candidateRoutes.ts'
import type { RenderOutcome } from './generateVideo.workflow.ts'
import type { RenderDeps, Rendering } from './rendering.ts'

const MAX_APPEND_DELAY_MS = 5_000
const MAX_STOPPING_ATTEMPTS = 7

/** Appends the request, then calls the provider. @throws if the call fails; the provider may have created the job */
export async function requestRender(deps: RenderDeps, request: RenderRequest, route: Route, signal: AbortSignal) {
  const { provider } = route
  const attempt = randomUUID()
  const named = await providerOf(deps.providers, provider).modelName?.(route.model)
  const engineModel = named ?? makerOf(provider, [route]).engine_model ?? undefined
  const command = { type: 'RequestRender', attempt, provider, engineModel, at: deps.at() } as const
  const state = await deps.sendCommand(request.taskId, command, { repeatable: true }).catch((error) => {
    // The request may be stored, for example if the connection was lost after the commit.
    deps.uncalled.set(request.taskId, attempt)
    throw error
  })
  deps.uncalled.delete(request.taskId)
  const isOwn = state.status === 'rendering' && state.attempt === attempt
  return isOwn ? createJob(deps, state, request, { signal }) : undefined
}

interface Call {
  readonly signal: AbortSignal
  /** Whether an earlier call for this request may have created a job. */
  readonly repeated?: boolean
}

/**
 * Calls the provider and records its answer. A task that the provider certainly did not take waits for the next
 * provider; after a repeated call it stays with the same one.
 */
export async function createJob(
  deps: RenderDeps,
  state: Rendering,
  request: RenderRequest,
  { signal, repeated = false }: Call,
): Promise<RenderOutcome | undefined> {
  const provider = providerOf(deps.providers, state.provider)
  const answer = await provider.create(request).catch((error) => {
    if (!provider.idempotent) deps.unanswered.add(request.taskId)
    throw error
  })
  const at = deps.at()
  if (answer.kind === 'accepted')
    return record(deps, request.taskId, { type: 'AcceptRender', jobId: answer.jobId, at }, signal)
  if (answer.kind === 'failed') return answer
  const { kind, detail } = answer
  if (kind === 'refused' && (repeated || endsTask(deps, state, answer.code))) return { ...answer, kind: 'failed' }
  const postponed = { type: 'PostponeRender', detail, at } as const
  const refused = kind === 'refused' ? { refused: true as const } : {}
  const bound = repeated ? { bound: true as const } : {}
  return record(deps, request.taskId, { ...postponed, ...refused, ...bound }, signal)
}

/**
 * Records an answer for as long as the log is unreachable: losing a job id would lose the video. A worker that must stop
 * tries a few times more.
 */
async function record(
  deps: RenderDeps,
  taskId: string,
  command: VideoTaskCommand,
  signal: AbortSignal,
): Promise<undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await deps.sendCommand(taskId, command, { repeatable: true })
      return undefined
    } catch (error) {
      const isFinal = error instanceof Rejection || isUnreadable(error)
      if (isFinal || (signal.aborted && attempt >= MAX_STOPPING_ATTEMPTS)) throw error
      await deps.delay(Math.min(100 * 2 ** attempt, MAX_APPEND_DELAY_MS))
    }
  }
}

/** Returns whether a refusal ends the task, because it is about the content or no other provider is left. */
function endsTask(
  { providers }: RenderDeps,
  { provider, refusedBy = [], order }: Rendering,
  code: FailureCode,
): boolean {
  if (code === 'content_refused' || provider === undefined) return true
  return candidateRoutes({ order, refusedBy: [...refusedBy, provider] }, providers).length === 0
}
