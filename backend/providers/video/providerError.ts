import { storableText } from '#backend/kernel/eventsourcing/pure/storableText.ts'

/** Error kinds. After an `unknown` error, the job may have been created; after any other kind, it was not. */
export type ProviderErrorKind = 'unknown' | 'rate_limited' | 'credentials' | 'account' | 'content' | 'invalid_request'

/** An error response from a provider. The message never contains a key. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly kind: ProviderErrorKind

  constructor(kind: ProviderErrorKind, message: string) {
    super(storableText(message, 250))
    this.kind = kind
  }
}

/** 4xx statuses that do not exclude that the request was carried out. */
const UNCLEAR = [408, 409, 425, 499]

/** Classifies an HTTP error without a code of the provider, for example from a proxy. */
export function kindOfHttpStatus(status: number): ProviderErrorKind {
  if (UNCLEAR.includes(status)) return 'unknown'
  if (status === 429) return 'rate_limited'
  if (status === 401 || status === 403) return 'credentials'
  if (status === 402) return 'account'
  return status >= 400 && status < 500 ? 'invalid_request' : 'unknown'
}
