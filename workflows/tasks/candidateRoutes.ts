import type { Route } from '#backend/tasks/contract.ts'
import type { VideoTaskOrder } from '#backend/tasks/events.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import type { VideoTask } from '#backend/tasks/videoTask.rules.ts'

export type Providers = ReadonlyMap<string, VideoProvider>
type Tried = Pick<Extract<VideoTask, { status: 'waiting' }>, 'order' | 'postponedBy' | 'refusedBy' | 'boundTo'>

/** Returns the provider of a task's job. @throws Error if it is not configured any more */
export function providerOf(providers: Providers, name: string): VideoProvider {
  const provider = providers.get(name)
  if (!provider) throw new Error(`the video provider ${name} is not configured`)
  return provider
}

/** Discards a task at every provider. Rejects if one fails, without keeping the others from it. */
export const discardEverywhere = async (providers: Providers, taskId: string): Promise<void> =>
  void (await Promise.all([...providers.values()].map((provider) => provider.discard(taskId))))

/** Returns the provider's name of the model of a task that has asked it. */
export const routeTaken = ({ order, provider }: { order: VideoTaskOrder; provider: string }): Pick<Route, 'model'> =>
  order.routes.find((route) => route.provider === provider) ?? order

/**
 * Returns the routes that a task may take, best first: those not tried yet in the order of the model, then those that
 * postponed the task, least recently first. A provider that may hold a job of the task is the only candidate.
 */
export function candidateRoutes({ order, postponedBy = [], refusedBy = [], boundTo }: Tried, providers: Providers) {
  const routes = order.routes.filter(({ provider }) => providers.has(provider))
  if (boundTo !== undefined) return routes.filter(({ provider }) => provider === boundTo)
  return routes
    .filter(({ provider }) => !refusedBy.includes(provider))
    .toSorted((a, b) => postponedBy.indexOf(a.provider) - postponedBy.indexOf(b.provider))
}
