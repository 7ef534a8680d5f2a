import type { Clock } from './time.ts'

/**
 * Creates a rate limiter in memory (generic cell rate algorithm): `burst` calls in a row, then one every `everyMs`.
 * The returned function takes one token and returns whether there was one.
 * @example const mayAsk = createTokenBucket({ burst: 20, everyMs: 3_000 }); if (mayAsk()) await ask()
 */
export function createTokenBucket(
  { burst, everyMs }: Readonly<{ burst: number; everyMs: number }>,
  now: Clock = Date.now,
): () => boolean {
  let usedUpTo = Number.NEGATIVE_INFINITY
  return () => {
    const full = now() + burst * everyMs
    // A clock that was set back must not refuse calls until it has caught up.
    usedUpTo = Math.min(Math.max(usedUpTo, now()), full)
    if (usedUpTo + everyMs > full) return false
    usedUpTo += everyMs
    return true
  }
}
