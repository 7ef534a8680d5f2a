import type { Route } from '#backend/tasks/contract.ts'
import type { VideoTask } from '#backend/tasks/videoTask.rules.ts'
import type { ActivityContext } from '../engine/engine.port.ts'
import { candidateRoutes, type Providers } from './candidateRoutes.ts'
import { requestRender } from './createJob.ts'
import type { RenderOutcome } from './generateVideo.workflow.ts'
import { pollJob } from './pollJob.ts'
import { failure, READ_INTERVAL_MS, type RenderDeps, type Waiting } from './rendering.ts'
import { OwnerErased, readRequest, UnreadableImage } from './renderRequest.ts'

/**
 * Creates a job as soon as a rate limit allows it, and polls it until it ends or 30 minutes have passed since the
 * request. A retry continues from the task's events. See docs/decisions/0004-never-ask-a-provider-twice.md and
 * docs/decisions/0021-routes-and-failover.md.
 */
export async function renderVideo(deps: RenderDeps, taskId: string, context: ActivityContext): Promise<RenderOutcome> {
  try {
    return await renderToEnd(deps, taskId, context)
  } catch (error) {
    if (error instanceof UnreadableImage) return failure('image_unreadable', error.message)
    if (error instanceof OwnerErased) {
      await deps.sendCommand(taskId, { type: 'Erase', at: deps.at() })
      return { kind: 'over' }
    }
    throw error
  }
}

async function renderToEnd(deps: RenderDeps, taskId: string, context: ActivityContext): Promise<RenderOutcome> {
  let state = await claim(deps, taskId)
  for (;;) {
    context.signal.throwIfAborted()
    if (await deps.failIfWaitedTooLong(taskId, state)) return { kind: 'over' }
    if (state.status === 'downloading') return { kind: 'finished' }
    if (state.status !== 'waiting' && state.status !== 'rendering') return { kind: 'over' }
    const isWaiting = state.status === 'waiting'
    const outcome =
      state.status === 'waiting'
        ? await createInTurn(deps, state, context.signal)
        : await pollJob(deps, state, context.signal)
    if (outcome) return outcome
    // This worker has just appended to the stream of a task that was waiting, or has read it.
    state = isWaiting ? await deps.peekTask(taskId) : await deps.readTask(taskId)
    if (isWaiting && state.lease !== deps.lease) state = await claim(deps, taskId)
  }
}

/** Takes over a task that another worker has begun. Of one that waits, the request for its render tells whether it still does. */
async function claim(deps: RenderDeps, taskId: string): Promise<VideoTask> {
  const known = await deps.peekTask(taskId)
  if (known.status === 'waiting') return known
  if (deps.lease === undefined) return deps.readTask(taskId)
  return deps.sendCommand(taskId, { type: 'Claim', at: deps.at() }, { repeatable: true })
}

/**
 * Waits for a rate limiter, by priority and then round-robin among users, and creates the job. Returns early when the
 * task is no longer waiting, and returns undefined if the task must be read again.
 */
async function createInTurn(deps: RenderDeps, state: Waiting, signal: AbortSignal): Promise<RenderOutcome | undefined> {
  const { order } = state
  const { taskId, priority, userId: owner } = order
  const routes = candidateRoutes(state, deps.providers)
  if (routes.length === 0) return failure('provider_unavailable', 'No configured provider makes this video.')
  const waiting = new AbortController()
  const stop = AbortSignal.any([signal, waiting.signal])
  const turn = deps.calls(routes).run({ priority, owner }, async () => {
    while (!stop.aborted) {
      await deps.finishing.room(stop)
      if (stop.aborted) return undefined
      const request = await readRequest(deps, order, order)
      const slot = await acquireSlot(deps.providers, routes)
      if (typeof slot !== 'number') {
        waiting.abort()
        return requestRender(deps, { ...request, providerModel: slot.model }, slot, signal)
      }
      await deps.delay(Math.min(slot, READ_INTERVAL_MS), stop).catch(() => {})
    }
    return undefined
  })
  const ended = async () => {
    for (;;) {
      await deps.delay(READ_INTERVAL_MS, stop)
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

/** Acquires a slot of the first route that has one. Returns the route, or the milliseconds to wait. */
async function acquireSlot(providers: Providers, routes: readonly Route[]): Promise<Route | number> {
  let shortest = Number.POSITIVE_INFINITY
  for (const route of routes) {
    const wait = await providers.get(route.provider)!.acquire()
    if (wait === 0) return route
    shortest = Math.min(shortest, wait)
  }
  return shortest
}
