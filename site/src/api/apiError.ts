/** A failed call: the server's error code, its message, and the invalid fields. Status 0 means no response. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string | undefined
  readonly faults: readonly { readonly path: string; readonly code: string }[]
  /** Seconds until a retry is allowed; undefined if the server does not say. */
  readonly retryAfter: number | undefined
  /** The error response, with fields of its own. */
  readonly body: object

  constructor(
    status: number,
    code: string,
    detail?: string,
    faults: ApiError['faults'] = [],
    retryAfter?: number,
    body: object = {},
  ) {
    super(detail ?? code)
    this.status = status
    this.code = code
    this.detail = detail
    this.faults = faults
    this.retryAfter = retryAfter
    this.body = body
  }
}

/** Code of a body that a proxy refused, so that Kinora never saw it. */
export const PROXY_LIMIT = 'proxy_limit'

interface ProblemBody {
  readonly code?: unknown
  readonly detail?: unknown
  readonly message?: unknown
  readonly errors?: unknown
}

/** Parses an error response. A response without a code, such as a proxy's error page, keeps its message, if any. A 413 without one is a proxy's. */
export function problemOf(status: number, body: ProblemBody | undefined, retryAfter?: string | null): ApiError {
  const detail = [body?.detail, body?.message].find((text) => typeof text === 'string')
  const fallback = status === 413 ? PROXY_LIMIT : status >= 500 && detail === undefined ? 'internal' : 'unknown'
  const code = typeof body?.code === 'string' ? body.code : fallback
  const faults = Array.isArray(body?.errors) ? (body.errors as ApiError['faults']) : []
  return new ApiError(status, code, detail, faults, Number(retryAfter) || undefined, body)
}

/** Returns the ticket of a `second_factor_required` refusal, which the second step sends back. */
export const ticketOf = ({ body }: ApiError): string => ('ticket' in body ? String(body.ticket) : '')
