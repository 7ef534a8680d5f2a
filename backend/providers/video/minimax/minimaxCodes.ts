/** What a `base_resp.status_code` of MiniMax means for us. */
export type Meaning = 'fine' | 'unclear' | 'busy' | 'key' | 'account' | 'sensitive' | 'invalid'

const MEANINGS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [0, 'fine'],
  // Unknown, time-out, internal: on create it is open whether the job was taken.
  ...[1000, 1001, 1013, 1024, 1033].map((code) => [code, 'unclear'] as const),
  // Rates, tokens, connections: certainly not taken.
  ...[1002, 1039, 1041, 2045].map((code) => [code, 'busy'] as const),
  ...[1004, 2049].map((code) => [code, 'key'] as const),
  // The operator's balance or plan, which is no business of the user's.
  ...[1008, 2056, 2061].map((code) => [code, 'account'] as const),
  // The prompt, the result.
  ...[1026, 1027].map((code) => [code, 'sensitive'] as const),
  [2013, 'invalid'],
])

/** A code that is not in the table leaves everything open. */
export const meaningOf = (code: number): Meaning => MEANINGS.get(code) ?? 'unclear'

/** The same for an answer that is no answer of the API, by its HTTP status. */
export function meaningOfStatus(status: number): Meaning {
  if (status === 429) return 'busy'
  if (status === 401 || status === 403) return 'key'
  return status >= 400 && status < 500 ? 'invalid' : 'unclear'
}
