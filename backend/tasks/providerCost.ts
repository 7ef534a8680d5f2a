/**
 * What MiniMax asks for a clip, in US cents, by resolution and seconds. Their price list names 512P and 768P for 6 s; the
 * others are as third parties report them, and I2V-01-live is taken to cost what the Director models do.
 */
const CENTS: Readonly<Record<string, number>> = {
  '512P 6': 10,
  '512P 10': 15,
  '720P 6': 43,
  '768P 6': 28,
  '768P 10': 56,
  '1080P 6': 49,
}

/** US cents; 0 for what cannot be made. */
export const providerCents = (resolution: string, seconds: number): number => CENTS[`${resolution} ${seconds}`] ?? 0
