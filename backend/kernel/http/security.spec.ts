import { describe, expect, it } from 'vitest'
import { createRateLimit } from './security.ts'

describe('the rate limit', () => {
  it('lets a user make so many calls a minute, and each user alone', () => {
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

  it('says when to come back', () => {
    let clock = 0
    const limit = createRateLimit(1, () => clock)
    limit('ada')
    clock = 20_000
    expect(() => limit('ada')).toThrow(expect.objectContaining({ fields: { retryAfter: 40 } }))
  })
})
