/**
 * MiniMax's prices in US cents, by resolution and seconds. Its price list covers 6 s at 512P and 768P; the other prices
 * are third-party reports, and I2V-01-live is assumed to cost the same as the Director models.
 */
const CENTS: Readonly<Record<string, number>> = {
  '512P 6': 10,
  '512P 10': 15,
  '720P 6': 43,
  '768P 6': 28,
  '768P 10': 56,
  '1080P 6': 49,
}

/** Returns the price in US cents, or 0 for a clip that MiniMax does not offer. */
export const providerCents = (resolution: string, seconds: number): number => CENTS[`${resolution} ${seconds}`] ?? 0
