import type { Logger } from 'pino'
import type { CreateAnswer } from '#backend/tasks/videoProvider.port.ts'
import { NotSent, TimedOut } from '../httpCall.ts'
import { ProviderError } from '../providerError.ts'
import type { CircuitBreaker } from './circuitBreaker.ts'
import { ACCOUNT_EMPTY, KEY_REFUSED, PROVIDER_ALERTS, type ProviderAlerts, UNREACHABLE } from './providerAlerts.ts'

/** Failures that a call without an answer counts as: it takes as long as many calls that are refused. */
const UNANSWERED = 3

/** What guards the calls of one provider. */
export interface Protection {
  readonly breaker: CircuitBreaker
  readonly alerts: ProviderAlerts
  readonly log: Pick<Logger, 'error' | 'warn'>
}

/**
 * Returns 0 if the breaker is closed, or the milliseconds to wait.
 * @param probe returns whether the provider answers; called at most once per open time by all processes together
 */
export async function waitForBreaker(breaker: CircuitBreaker, probe: () => Promise<boolean>): Promise<number> {
  const state = await breaker.check()
  if (typeof state === 'number') return state
  if (state === 'closed' || (await probe())) return 0
  await breaker.recordFailure()
  const next = await breaker.check()
  return typeof next === 'number' ? next : 1
}

/**
 * Records an outcome in the breaker and the alerts. Never rejects: the provider has answered, and a failure here must
 * not make its answer count as lost.
 */
export async function recordOutcome({ log }: Pick<Protection, 'log'>, record: () => Promise<void>): Promise<void> {
  try {
    await record()
  } catch (error) {
    log.warn({ err: error }, 'provider outcome not recorded')
  }
}

/** Records that the provider accepted a job, which clears its alerts. Never rejects. */
export const recordAccepted = (protection: Protection): Promise<void> =>
  recordOutcome(protection, async () => {
    await protection.breaker.recordSuccess()
    await protection.alerts.clear(PROVIDER_ALERTS)
  })

/** Postpones a task whose request could not be prepared: nothing was sent, so no job exists. The breaker slows repetitions. */
export async function postponeUnsent(error: unknown, protection: Protection): Promise<CreateAnswer> {
  await recordOutcome(protection, async () => void (await protection.breaker.recordFailure()))
  return { kind: 'postponed', detail: (error as Error).message }
}

/** Converts an error of `create` to an answer. Rethrows the error if the job may have been created. */
export async function answerToError(error: unknown, protection: Protection, taskId: string): Promise<CreateAnswer> {
  const { breaker, alerts, log } = protection
  if (!(error instanceof ProviderError) || error.kind === 'unknown') {
    const { message } = error as Error
    await recordOutcome(protection, async () => {
      if (await breaker.recordFailure(error instanceof TimedOut ? UNANSWERED : 1))
        await alerts.raise(UNREACHABLE, message)
    })
    if (error instanceof NotSent) return { kind: 'postponed', detail: message }
    throw error
  }
  await recordOutcome(protection, () => alertOperator(error, protection))
  const detail = error.message
  switch (error.kind) {
    case 'rate_limited':
      await recordOutcome(protection, breaker.throttle)
      return { kind: 'postponed', detail }
    case 'credentials':
    case 'account':
      return { kind: 'refused', code: 'provider_unavailable', detail }
    case 'content':
      await recordOutcome(protection, breaker.recordSuccess)
      return { kind: 'refused', code: 'content_refused', detail }
    case 'invalid_request':
      log.error({ err: error, taskId }, 'video provider rejected a malformed request')
      return { kind: 'refused', code: 'provider_failed', detail }
  }
}

/** Raises an alert if the provider refused the key or the account is used up. */
export async function alertOperator(error: unknown, { alerts, breaker }: Protection): Promise<void> {
  if (!(error instanceof ProviderError)) return
  if (error.kind === 'credentials') {
    await breaker.open()
    await alerts.raise(KEY_REFUSED, error.message)
  }
  if (error.kind === 'account') await alerts.raise(ACCOUNT_EMPTY, error.message)
}
