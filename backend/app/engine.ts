import os from 'node:os'
import path from 'node:path'
import { POLICIES } from '#workflows/all.ts'
import { EmbeddedEngine } from '#workflows/engine/embeddedEngine.ts'
import type { Activities, Engine } from '#workflows/engine/engine.port.ts'
import type { VideoProvider } from '../tasks/videoProvider.port.ts'
import type { Context } from './context.ts'

/** Returns whether videos are rendered on this machine. */
export const rendersHere = (videos: ReadonlyMap<string, VideoProvider>): boolean =>
  [...videos.values()].some(({ name }) => name === 'demo')

/** Returns the maximum number of concurrent renderings. Only the demo renderer uses the cores of this machine. */
export const renderSlots = (videos: ReadonlyMap<string, VideoProvider>): number =>
  rendersHere(videos) ? Math.max(1, Math.floor(os.availableParallelism() / 2)) : 2_000

/** Estimate of a render by a provider that states none. The help page says one to three minutes. */
const UNKNOWN_MS = 120_000

/** Returns what the estimate of the queue knows about renders before any is finished: limits and the slowest typical time. */
export function estimatesOf(videos: ReadonlyMap<string, VideoProvider>) {
  const providers = [...videos.values()]
  const rate = providers.reduce((sum, { createsPerMinute = Number.POSITIVE_INFINITY }) => sum + createsPerMinute, 0)
  return {
    renderSlots: renderSlots(videos),
    createsPerMinute: Number.isFinite(rate) ? rate : undefined,
    firstEstimateMs: Math.max(...providers.map(({ typicalMs = UNKNOWN_MS }) => typicalMs)),
  }
}

/** A workflow engine. `reachable`, if present, reports whether its server responds. */
export type OpenEngine = Engine & { reachable?(): Promise<boolean> }

/** Opens Temporal if its address is configured, otherwise the embedded engine. */
export async function openEngine(
  { config, log }: Context,
  render: number,
  activities: Activities,
): Promise<OpenEngine> {
  const options = {
    activities,
    policies: POLICIES,
    slots: { mail: 4, payments: 8, render },
    onError: (error: unknown, step: string) => log.warn({ err: error, step }, 'workflow step failed, retrying'),
  }
  if (!config.temporal) return new EmbeddedEngine(options)
  const [{ TemporalEngine }, { workflowBundle }] = await Promise.all([
    import('#workflows/temporal/temporalEngine.ts'),
    import('#workflows/temporal/bundle.ts'),
  ])
  const bundle = () => workflowBundle(path.join(config.dataDir, 'workflows'))
  return new TemporalEngine({ ...options, ...config.temporal, bundle, log })
}
