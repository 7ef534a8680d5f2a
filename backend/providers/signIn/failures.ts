import { ProviderUnavailable, SignInRefused } from '../../accounts/identities/identityProvider.port.ts'

/** Failures of `openid-client` that say nothing about the sign-in: the provider did not give a usable answer. */
const OUTAGES = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
])

/** Error codes with which a provider refuses this installation, and not the person. */
const MISCONFIGURED = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
  'server_error',
  'temporarily_unavailable',
])

interface Failure {
  readonly code?: string
  readonly message?: string
  readonly error?: unknown
  readonly cause?: { readonly cause?: { readonly body?: { readonly error?: unknown } } }
}

/** Returns what a failed call to a provider means. The message has no text of the provider but its error code. */
export function failureOf(error: unknown): ProviderUnavailable | SignInRefused {
  if (error instanceof ProviderUnavailable || error instanceof SignInRefused) return error
  const { code, message, error: said, cause } = error as Failure
  const body = cause?.cause?.body
  // GitHub sends errors with status 200.
  const named = said ?? body?.error
  const answered = typeof named === 'string' ? named.replace(/[^\w-]/g, '').slice(0, 60) : undefined
  if (answered && MISCONFIGURED.has(answered)) return new ProviderUnavailable(answered, { cause: error })
  if (answered) return new SignInRefused(answered, { cause: error })
  // `fetch` throws TypeErrors. A body without what it must contain is no answer, either.
  if (error instanceof TypeError || code === undefined || OUTAGES.has(code) || body !== undefined)
    return new ProviderUnavailable(code ?? message ?? 'no answer', { cause: error })
  return new SignInRefused(`${code}: ${message}`, { cause: error })
}
