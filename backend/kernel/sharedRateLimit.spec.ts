import { describe, expect, it } from 'vitest'
import { createRateLimit } from './sharedRateLimit.ts'

describe('the rate limit', () => {
  it('allows a number of calls per minute and user', () => {
    let clock = 0
    const limit = createRateLimit(3, () => clock)
    for (let call = 0; call < 3; call++) limit.take('ada')
    expect(() => limit.take('ada')).toThrow('Too many requests')
    expect(() => limit.take('grace')).not.toThrow()
    clock = 59_999
    expect(() => limit.take('ada')).toThrow('Too many requests')
    clock = 60_000
    expect(() => limit.take('ada')).not.toThrow()
  })

  it('returns when to retry', () => {
    let clock = 0
    const limit = createRateLimit(1, () => clock)
    limit.take('ada')
    clock = 20_000
    expect(() => limit.take('ada')).toThrow(expect.objectContaining({ fields: { retryAfter: 40 } }))
  })

  it('counts the calls of all processes together', () => {
    const [one, other] = [createRateLimit(100, () => 0), createRateLimit(100, () => 0)]
    for (let call = 0; call < 60; call++) one.take('ada')
    for (const note of one.news()) {
      other.hear(note)
      one.hear(note)
    }
    expect(one.news()).toEqual([])
    for (let call = 0; call < 40; call++) other.take('ada')
    expect(() => other.take('ada')).toThrow('Too many requests')
    expect(() => other.take('grace')).not.toThrow()
    for (const note of other.news()) one.hear(note)
    expect(() => one.take('ada')).toThrow('Too many requests')
  })

  it('keeps few calls to itself, and forgets those of an earlier minute', () => {
    let clock = 0
    const [one, other] = [createRateLimit(100, () => clock), createRateLimit(100, () => clock)]
    for (let call = 0; call < 4; call++) one.take('ada')
    expect(one.news()).toEqual([])
    for (let call = 0; call < 96; call++) one.take('ada')
    const late = one.news()
    clock = 60_000
    for (const note of late) other.hear(note)
    expect(() => other.take('ada')).not.toThrow()
  })

  it('sends the counts of many users within the size of a notification', () => {
    const limit = createRateLimit(1)
    for (let user = 0; user < 250; user++) limit.take(crypto.randomUUID())
    const sizes = limit.news().map((note) => Buffer.byteLength(JSON.stringify(note)))
    expect(sizes).toHaveLength(3)
    expect(Math.max(...sizes)).toBeLessThan(8_000)
  })
})
