import { describe, expect, it } from 'vitest'
import { createRateLimit } from './security.ts'

describe('the rate limit', () => {
  it('allows a number of calls per minute and user', () => {
    let clock = 0
    const limit = createRateLimit(3, () => clock)
    for (let call = 0; call < 3; call++) limit('ada')
    expect(() => limit('ada')).toThrow('Too many requests')
    expect(() => limit('grace')).not.toThrow()
    clock = 59_999
    expect(() => limit('ada')).toThrow('Too many requests')
    clock = 60_000
    expect(() => limit('ada')).not.toThrow()
  })

  it('returns when to retry', () => {
    let clock = 0
    const limit = createRateLimit(1, () => clock)
    limit('ada')
    clock = 20_000
    expect(() => limit('ada')).toThrow(expect.objectContaining({ fields: { retryAfter: 40 } }))
  })
})
