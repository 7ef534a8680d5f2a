import { expect, it, vi } from 'vitest'
import type { CircuitBreaker } from './circuitBreaker.ts'
import { recordAccepted } from './protectedCalls.ts'

it('keeps the id of an accepted job when the success cannot be recorded', async () => {
  const fails = vi.fn(async () => Promise.reject(new Error('Connection terminated')))
  const log = { error: vi.fn(), warn: vi.fn() }
  const breaker = { recordSuccess: fails } as Partial<CircuitBreaker> as CircuitBreaker
  await recordAccepted({ breaker, alerts: { raise: fails, clear: fails }, log })
  expect(log.warn).toHaveBeenCalledOnce()
})
