import { describe, expect, it, vi } from 'vitest'
import { NotSent } from '../httpCall.ts'
import { ProviderError } from '../providerError.ts'
import { answerToError, recordAccepted } from './protectedCalls.ts'

/** A protection whose database is away. */
function withoutDatabase() {
  const fails = vi.fn(async () => Promise.reject(new Error('Connection terminated')))
  const breaker = { check: fails, recordSuccess: fails, recordFailure: fails, open: fails, throttle: fails }
  return { breaker, alerts: { raise: fails, clear: fails }, log: { error: vi.fn(), warn: vi.fn() } }
}

describe('without the database', () => {
  it('an accepted job keeps its id', async () => {
    const protection = withoutDatabase()
    await recordAccepted(protection)
    expect(protection.log.warn).toHaveBeenCalled()
  })

  it.each([
    [new NotSent('refused'), { kind: 'postponed' }],
    [new ProviderError('rate_limited', 'busy'), { kind: 'postponed' }],
    [new ProviderError('content', 'flagged'), { kind: 'refused', code: 'content_refused' }],
    [new ProviderError('credentials', 'wrong key'), { kind: 'refused', code: 'provider_unavailable' }],
    [new ProviderError('account', 'empty'), { kind: 'refused', code: 'provider_unavailable' }],
  ])('a call that certainly created no job is not taken for a lost answer (%s)', async (error, expected) => {
    expect(await answerToError(error, withoutDatabase(), 'task')).toMatchObject(expected)
  })

  it('an unclear answer is still thrown', async () => {
    const error = new ProviderError('unknown', 'HTTP 502')
    await expect(answerToError(error, withoutDatabase(), 'task')).rejects.toBe(error)
  })
})
