import { STATUS_CODES } from 'node:http'
import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import type { z } from 'zod/mini'
import errors from '#content/en/errors.json' with { type: 'json' }
import { AppendOutcomeUnknown, StoreRejected, StoreUnavailable } from '../eventsourcing/eventStore.port.ts'
import { StreamBusy } from '../eventsourcing/lane.ts'
import { StreamBroken } from '../eventsourcing/pure/applyStored.ts'
import { Rejection, UnsoundDecision } from '../eventsourcing/pure/decider.ts'
import { UnknownEvent } from '../eventsourcing/pure/eventSchemas.ts'
import { isOutage } from '../postgres/outage.ts'
import { isForPrograms } from './bearer.ts'
import type { Problem } from './contract.ts'
import { programErrorOf } from './programErrors.ts'

/** HTTP status by error code; 409 for codes not listed. */
const STATUS: Readonly<Record<string, number>> = {
  malformed_request: 400,
  invalid_value: 400,
  request_timeout: 408,
  headers_too_large: 431,
  invalid_input: 422,
  invalid_file_type: 422,
  image_too_small: 422,
  image_too_large: 422,
  image_aspect_ratio: 422,
  image_damaged: 422,
  idempotency_key_reused: 422,
  not_drawable: 422,
  words_blocked: 422,
  token_invalid: 422,
  already_verified: 422,
  not_json: 415,
  quote_unknown: 404,
  client_unknown: 404,
  redirect_refused: 400,
  access_request_invalid: 400,
  unauthenticated: 401,
  invalid_api_key: 401,
  invalid_credentials: 401,
  second_factor_required: 401,
  ticket_invalid: 401,
  passkey_refused: 422,
  graph_refused: 422,
  graph_exists: 409,
  engine_refused: 422,
  insufficient_credits: 402,
  key_limit_reached: 402,
  member_limit_reached: 402,
  forbidden: 403,
  key_scope: 403,
  key_network: 403,
  key_model: 403,
  key_team: 403,
  not_in_team: 403,
  cross_site: 403,
  email_not_verified: 403,
  step_up_required: 403,
  account_suspended: 403,
  second_operator_required: 403,
  operator_role: 403,
  own_approval: 403,
  signature_required: 403,
  case_closed: 409,
  count_changed: 409,
  too_late: 409,
  no_second_factor: 409,
  mail_required: 403,
  sign_in_again: 403,
  plan_required: 403,
  share_removed: 403,
  payments_off: 403,
  registration_closed: 403,
  registration_paused: 503,
  label_required: 403,
  not_found: 404,
  no_subscription: 404,
  unknown_code: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  uri_too_long: 414,
  range_not_satisfiable: 416,
  queue_full: 429,
  too_many_requests: 429,
  too_many_approvals: 429,
  upload_running: 429,
  too_many_uploads: 429,
  too_many_unused_images: 429,
  internal: 500,
  no_payment_link: 502,
  provider_unavailable: 503,
  no_such_provider: 422,
  unavailable: 503,
  generation_paused: 503,
  model_paused: 503,
  till_paused: 503,
  uploads_busy: 503,
  image_timeout: 503,
  ledger_broken: 503,
  newer_data: 503,
}

/** Returns the HTTP status of an error code. */
export const statusOf = (code: string): number => STATUS[code] ?? 409

/** English message for each error code; clients translate codes themselves. */
const MESSAGES: Readonly<Record<string, string>> = errors

/** Thrown for an invalid request, with one error per field, each with a stable code. */
export class ValidationError extends Rejection {
  /** @param code error code of the response, if more specific than `invalid_input` */
  constructor(errors: readonly { path: string; code: string }[], code = 'invalid_input') {
    const named = errors.map(({ path, code }) => `${path || 'body'}: ${code}`).join(', ')
    super(code, `Some fields are not valid (${named}).`, {
      errors: errors.map((fault) => ({ ...fault, message: MESSAGES[fault.code] ?? fault.code.replaceAll('_', ' ') })),
    })
  }

  static from(error: z.core.$ZodError): ValidationError {
    return new ValidationError(
      error.issues.map(({ path, message }) => ({ path: path.join('.'), code: codeOf(message) })),
    )
  }
}

/** Kinora's schemas use error codes as messages. Zod's own messages become `invalid`. */
const codeOf = (message: string) => (/^[a-z][a-z_]+$/.test(message) ? message : 'invalid')

/**
 * Middleware that turns errors into problem details (RFC 9457). Logs unexpected errors without sending their details.
 * @example app.use(problemDetails(log))
 */
export function problemDetails(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { requestId, correlationId } = ctx.state
      const rejection = rejectionOf(log, error, { requestId, correlationId, route: ctx._matchedRoute })
      const problem = problemOf(rejection, ctx.state.requestId)
      const { status } = problem
      if (rejection.code === 'invalid_api_key' && !ctx.response.get('WWW-Authenticate'))
        ctx.set('WWW-Authenticate', 'Bearer')
      if (status === 429 || status === 503) ctx.set('Retry-After', String(rejection.fields.retryAfter ?? 5))
      ctx.set('Cache-Control', 'no-store')
      const program = isForPrograms(ctx.req.url) ? programErrorOf(rejection, status) : undefined
      ctx.status = program?.status ?? status
      ctx.set(program?.headers ?? {})
      ctx.body = JSON.stringify(program?.body ?? problem)
      ctx.type = program ? 'application/json' : 'application/problem+json'
    }
  }
}

/** Returns the rejection of an error. Logs what is unexpected. */
export function rejectionOf(
  log: Logger,
  error: unknown,
  { requestId, correlationId, route, provider }: Readonly<Record<string, unknown>>,
): Rejection {
  const rejection = asRejection(error)
  if (rejection.code === 'internal')
    log.error({ err: error, requestId, correlationId, route, provider }, 'request failed')
  return rejection
}

/** Returns the problem details of a rejection. */
export function problemOf(
  { code, message, fields: { retryAfter: _, ...fields } }: Rejection,
  requestId: string,
): Problem {
  const status = statusOf(code)
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail: message,
    ...fields,
    requestId,
  }
}

const STORE_FAULTS = [AppendOutcomeUnknown, StoreRejected, StoreUnavailable]

function asRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  if (error instanceof StreamBusy)
    return new Rejection('unavailable', 'Many requests at once. Please try again.', { retryAfter: 1 })
  if (error instanceof StreamBroken || error instanceof UnsoundDecision) return unreadable('ledger_broken')
  if (error instanceof UnknownEvent) return unreadable('newer_data')
  if (isOutage(error) || STORE_FAULTS.some((fault) => error instanceof fault))
    return new Rejection('unavailable', 'Kinora cannot do this right now. Please try again in a moment.', {
      retryAfter: 2,
    })
  return new Rejection('internal', 'Something went wrong on our side. Please try again.')
}

/** Returns the rejection of a call that needs a stream in quarantine. */
const unreadable = (code: 'ledger_broken' | 'newer_data') => new Rejection(code, errors[code], { retryAfter: 60 })
