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

/** Returns the limits on renders that the estimate of the queue knows. */
export function limitsOf(videos: ReadonlyMap<string, VideoProvider>) {
  const rates = [...videos.values()].map(({ createsPerMinute }) => createsPerMinute ?? Number.POSITIVE_INFINITY)
  const sum = rates.reduce((total, rate) => total + rate, 0)
  return { renderSlots: renderSlots(videos), createsPerMinute: Number.isFinite(sum) ? sum : undefined }
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
