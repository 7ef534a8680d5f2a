/** A call that failed: the server's stable code, its sentence, and the fields at fault. Status 0: no answer came. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string | undefined
  readonly faults: readonly { readonly path: string; readonly code: string }[]
  /** Seconds until it may be tried again, where the server says so. */
  readonly retryAfter: number | undefined

  constructor(status: number, code: string, detail?: string, faults: ApiError['faults'] = [], retryAfter?: number) {
    super(detail ?? code)
    this.status = status
    this.code = code
    this.detail = detail
    this.faults = faults
    this.retryAfter = retryAfter
  }
}

interface ProblemBody {
  readonly code?: unknown
  readonly detail?: unknown
  readonly message?: unknown
  readonly errors?: unknown
}

/** Reads a problem answer; one without a code (a proxy's page, say) is told by its sentence, if it has one. */
export function problemOf(status: number, body: ProblemBody | undefined, retryAfter?: string | null): ApiError {
  const detail = [body?.detail, body?.message].find((text) => typeof text === 'string')
  const otherwise = status >= 500 && detail === undefined ? 'internal' : 'unknown'
  const code = typeof body?.code === 'string' ? body.code : otherwise
  const faults = Array.isArray(body?.errors) ? (body.errors as ApiError['faults']) : []
  return new ApiError(status, code, detail, faults, Number(retryAfter) || undefined)
}
