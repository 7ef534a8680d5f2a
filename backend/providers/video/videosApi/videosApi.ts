import type pg from 'pg'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { BREAKER_DEFAULTS, createCircuitBreaker } from '../protection/circuitBreaker.ts'
import { alertsOf } from '../protection/providerAlerts.ts'
import { createClaimedJobs } from './claimedJobs.ts'
import { createVideosApiClient } from './videosApiClient.ts'
import { createVideosApiProvider, type VideosApiDeps } from './videosApiProvider.ts'

/** Times in milliseconds. A create call and the search for a lost job together take less than 65 s. */
const VIDEOS_API_TIMING = {
  pollIntervalMs: 4_000,
  connectTimeoutMs: 10_000,
  createTimeoutMs: 40_000,
  queryTimeoutMs: 6_000,
  stallTimeoutMs: 30_000,
  attempts: 3,
  intervalMs: 1_000,
  ...BREAKER_DEFAULTS,
}
export type VideosApiTiming = typeof VIDEOS_API_TIMING

export interface VideosApiOptions extends Pick<VideosApiDeps, 'alerts' | 'log' | 'models' | 'guard'> {
  /** The part before `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly pool: pg.Pool
  readonly timing?: Partial<VideosApiTiming> | undefined
}

/** Creates the provider for a server of the `/v1/videos` shape: an engine such as vLLM-Omni or SGLang, or a gateway. */
export function createVideosApi({ baseUrl, apiKey, pool, timing, ...deps }: VideosApiOptions): VideoProvider {
  const options = { ...VIDEOS_API_TIMING, ...timing }
  return createVideosApiProvider({
    ...deps,
    ...options,
    baseUrl,
    guard: deps.guard.trusting(baseUrl),
    clock: Date.now,
    client: createVideosApiClient({ ...options, baseUrl, apiKey }),
    breaker: createCircuitBreaker(pool, 'videos-api', options),
    alerts: alertsOf(deps.alerts, 'videos-api'),
    claims: createClaimedJobs(pool),
  })
}
