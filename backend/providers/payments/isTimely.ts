/** Longer than the three days for which PayPal redelivers a webhook. */
const MAX_AGE_MS = 4 * 24 * 3_600_000
/** Clock skew between this host and the provider. */
const MAX_SKEW_MS = 5 * 60_000

/**
 * Returns whether a transmission is recent enough to be the provider's. The signature covers only a checksum of the body,
 * so the headers of one transmission sign any body that is made to have that checksum.
 */
export function isTimely(time: string, now: number): boolean {
  const ageMs = now - Date.parse(time)
  return ageMs <= MAX_AGE_MS && ageMs >= -MAX_SKEW_MS
}
