import { describe, expect, it } from 'vitest'
import { createTokenBucket } from './tokenBucket.ts'

let now = 10_000_000
const bucketOf = (burst: number) => createTokenBucket({ burst, everyMs: 1_000 }, () => now)

describe('a token bucket', () => {
  it('gives its burst, then one token per interval', () => {
    const take = bucketOf(2)
    expect([take(), take(), take()]).toEqual([true, true, false])
    now += 1_000
    expect([take(), take()]).toEqual([true, false])
  })

  it('gives a token after one interval when the clock was set back', () => {
    const take = bucketOf(2)
    expect([take(), take()]).toEqual([true, true])
    now -= 3_600_000
    expect(take()).toBe(false)
    now += 1_000
    expect([take(), take()]).toEqual([true, false])
  })
})
