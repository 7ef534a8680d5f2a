export interface Reply {
  readonly status: number
  readonly body?: object
}

const FAULTS: Readonly<Record<number, readonly [name: string, message: string]>> = {
  400: ['INVALID_REQUEST', 'Request is not well-formed, syntactically incorrect, or violates schema.'],
  403: ['NOT_AUTHORIZED', 'Authorization failed due to insufficient permissions.'],
  404: ['RESOURCE_NOT_FOUND', 'The specified resource does not exist.'],
  409: ['RESOURCE_CONFLICT', 'The server has detected a conflict while processing this request.'],
  422: [
    'UNPROCESSABLE_ENTITY',
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
  ],
  429: ['RATE_LIMIT_REACHED', 'Too many requests. Blocked due to rate limiting.'],
  500: ['INTERNAL_SERVER_ERROR', 'An internal server error has occurred.'],
  503: ['SERVICE_UNAVAILABLE', 'Service Unavailable.'],
}

/** Returns an error response in PayPal's format. */
export function refused(status: number, issue?: string, description?: string): Reply {
  const [name, message] = FAULTS[status] ?? ['ERROR', 'An error.']
  const details = issue === undefined ? {} : { details: [{ issue, description }] }
  return { status, body: { name, message, debug_id: 'b1d1f06c7246c', ...details } }
}

export const NOT_FOUND = () => refused(404, 'INVALID_RESOURCE_ID', 'Requested resource ID was not found.')
