import os from 'node:os'
import path from 'node:path'
import { POLICIES } from '#workflows/all.ts'
import { EmbeddedEngine } from '#workflows/engine/embeddedEngine.ts'
import type { Activities, Engine } from '#workflows/engine/engine.port.ts'
import type { Ports } from './context.ts'

/** Videos that are made at once: rendering here takes whole cores; a provider far away takes none of ours. */
export const renderSlots = ({ provider }: Ports): number =>
  provider.name === 'demo' ? Math.max(1, Math.floor(os.availableParallelism() / 2)) : 2_000

/** The engine, and whether what it stands on answers. */
export type OpenEngine = Engine & { reachable?(): Promise<boolean> }

/** Chooses the engine: Temporal where its address is set, otherwise the one in this process. */
export async function openEngine(ports: Ports, activities: Activities): Promise<OpenEngine> {
  const { log, config } = ports
  const options = {
    activities,
    policies: POLICIES,
    slots: { mail: 4, payments: 8, render: renderSlots(ports) },
    onError: (error: unknown, step: string) =>
      log.warn({ err: error, step }, 'a step of a workflow failed and may be tried again'),
  }
  if (!config.temporal) return new EmbeddedEngine(options)
  const [{ TemporalEngine }, { workflowBundle }] = await Promise.all([
    import('#workflows/temporal/temporalEngine.ts'),
    import('#workflows/temporal/bundle.ts'),
  ])
  const bundle = () => workflowBundle(path.join(config.dataDir, 'workflows'))
  return new TemporalEngine({ ...options, ...config.temporal, bundle, log })
}
