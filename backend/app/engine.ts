import path from 'node:path'
import { POLICIES } from '#workflows/all.ts'
import { EmbeddedEngine } from '#workflows/engine/embeddedEngine.ts'
import type { Activities, Engine } from '#workflows/engine/engine.port.ts'
import type { Context } from './context.ts'

/** A workflow engine. `reachable`, if present, reports whether its server responds. */
export type OpenEngine = Engine & { reachable?(): Promise<boolean> }

/** Opens Temporal if its address is configured, otherwise the embedded engine. */
export async function openEngine(
  { config, log }: Context,
  render: () => number,
  activities: Activities,
): Promise<OpenEngine> {
  const options = {
    activities,
    policies: POLICIES,
    slots: { mail: 4, payments: 8, render: render() },
    onError: (error: unknown, step: string) => log.warn({ err: error, step }, 'workflow step failed, retrying'),
  }
  if (!config.temporal) return new EmbeddedEngine({ ...options, slots: { ...options.slots, render } })
  const [{ TemporalEngine }, { workflowBundle }] = await Promise.all([
    import('#workflows/temporal/temporalEngine.ts'),
    import('#workflows/temporal/bundle.ts'),
  ])
  const bundle = () => workflowBundle(path.join(config.dataDir, 'workflows'))
  return new TemporalEngine({ ...options, ...config.temporal, bundle, log })
}
