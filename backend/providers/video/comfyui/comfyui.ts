import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { watchFolder } from '#backend/kernel/watchedFolder.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { BREAKER_DEFAULTS, createCircuitBreaker } from '../protection/circuitBreaker.ts'
import { alertsOf } from '../protection/providerAlerts.ts'
import { createComfyuiClient } from './comfyuiClient.ts'
import { createComfyuiProgress } from './comfyuiProgress.ts'
import { type ComfyuiDeps, createComfyuiProvider } from './comfyuiProvider.ts'
import { parseGraph } from './graphFile.ts'

/** Times in milliseconds. */
const COMFYUI_TIMING = {
  pollIntervalMs: 3_000,
  connectTimeoutMs: 10_000,
  timeoutMs: 15_000,
  stallTimeoutMs: 30_000,
  ...BREAKER_DEFAULTS,
}
export type ComfyuiTiming = typeof COMFYUI_TIMING

export interface ComfyuiOptions extends Pick<ComfyuiDeps, 'alerts' | 'baseUrl' | 'headers' | 'ffmpegPath' | 'guard'> {
  readonly log: ComfyuiDeps['log'] & Parameters<typeof watchFolder>[0]['log']
  /** Folder of the operator's graphs. */
  readonly folder: string
  readonly pool: pg.Pool
  readonly timing?: Partial<ComfyuiTiming> | undefined
}

/** Creates the provider for a ComfyUI server with the graphs of a folder. */
export function createComfyui({ folder, pool, timing, ...deps }: ComfyuiOptions): VideoProvider {
  const { baseUrl, headers, log } = deps
  const options = { ...COMFYUI_TIMING, ...timing }
  const clientId = randomUUID()
  return createComfyuiProvider({
    ...deps,
    ...options,
    clientId,
    guard: deps.guard.trusting(baseUrl),
    client: createComfyuiClient({ ...options, baseUrl, headers }),
    progress: createComfyuiProgress({ baseUrl, headers, clientId }),
    graphs: watchFolder({ folders: [folder], parse: parseGraph, log }),
    breaker: createCircuitBreaker(pool, 'comfyui', options),
    alerts: alertsOf(deps.alerts, 'comfyui'),
  })
}
