import type { Rejection } from '../eventsourcing/pure/decider.ts'

/** Type of an error by its status, as OpenAI's clients know them. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  429: 'rate_limit_error',
}

/** Longest wait, in seconds, that clients obey before they repeat a call by themselves. */
const MAX_WAIT_S = 60

interface Fault {
  readonly path: string
  readonly code: string
  readonly message: string
}

/**
 * Returns the error of a rejection in the form of `/v1`: `{ error: { message, type, param, code } }`, with the headers that
 * tell clients whether to repeat the call. Faults of fields are 400, as clients of this form expect.
 */
export function programErrorOf({ code, message, fields }: Rejection, status: number) {
  const [fault] = (fields.errors ?? []) as readonly Fault[]
  const shown = fault ? 400 : status
  const { errors: _, retryAfter, param = fault?.path || null, ...more } = fields
  const type = TYPES[shown] ?? (shown >= 500 ? 'server_error' : 'invalid_request_error')
  const said = fault ? `${fault.path ? `${fault.path}: ` : ''}${fault.message}` : message
  const isRunning = code === 'idempotency_in_progress'
  const isFinal = (shown === 409 && !isRunning) || Number(retryAfter ?? 0) > MAX_WAIT_S
  const headers: Record<string, string> = isRunning || isFinal ? { 'X-Should-Retry': String(isRunning) } : {}
  return {
    status: shown,
    headers,
    body: { error: { message: said, type, param, code: fault?.code ?? code, ...more } },
  }
}
