import type pg from 'pg'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { BREAKER_DEFAULTS, createCircuitBreaker } from '../protection/circuitBreaker.ts'
import { alertsOf } from '../protection/providerAlerts.ts'
import { createSlidingWindowLimiter } from '../protection/slidingWindowLimiter.ts'
import { createDefinedProvider, type DefinedProviderDeps } from './definedProvider.ts'
import { createDefinitionClient } from './definitionClient.ts'

/** Times in milliseconds. A create call with its uploads takes less than 65 s. */
const DEFINITION_TIMING = {
  /** Slightly longer than a minute, because network latency varies between calls. */
  windowMs: 61_000,
  /** Replaces the definition's interval. */
  pollIntervalMs: undefined as number | undefined,
  connectTimeoutMs: 10_000,
  createTimeoutMs: 60_000,
  queryTimeoutMs: 15_000,
  stallTimeoutMs: 30_000,
  attempts: 3,
  intervalMs: 1_000,
  ...BREAKER_DEFAULTS,
}
export type DefinitionTiming = typeof DEFINITION_TIMING

export interface DefinitionProviderOptions
  extends Pick<
    DefinedProviderDeps,
    'definition' | 'key' | 'guard' | 'alerts' | 'log' | 'callbackUrl' | 'catalogueModel'
  > {
  readonly pool: pg.Pool
  readonly timing?: Partial<DefinitionTiming> | undefined
}

/** Creates the provider of a definition. All processes that use the same database share its limits and breaker. */
export function createDefinitionProvider({ pool, timing, ...deps }: DefinitionProviderOptions): VideoProvider {
  const { definition, key, guard, alerts } = deps
  const options = { ...DEFINITION_TIMING, ...timing }
  const { name } = definition()
  const limiter = (kind: 'creates' | 'queries') => () =>
    createSlidingWindowLimiter(pool, `${name} ${kind}`, definition().rate[kind], options.windowMs)
  return createDefinedProvider({
    ...deps,
    ...options,
    client: createDefinitionClient({ definition, key, guard, ...options }),
    creates: limiter('creates'),
    queries: limiter('queries'),
    breaker: createCircuitBreaker(pool, name, options),
    alerts: alertsOf(alerts, name),
  })
}
