import * as z from 'zod/mini'
import { CurrentPassword, Token } from '../../accounts/contracts/fields.contract.ts'
import { endpoint, type Scope } from '../../kernel/http/contract.ts'

/** Scopes of connections, in the order in which a user reads them. */
export const CONNECTION_SCOPES = ['videos:write', 'videos:read', 'account:read'] as const satisfies Scope[]
const MAX_CREDITS = 1_000_000_000
/** Credits for each month that a connection may spend, unless its user chooses otherwise. */
export const USUAL_CREDITS = 300

const text = (max: number) => z.optional(z.string().check(z.maxLength(max, 'too_long')))

/** The query by which a client asks for access (RFC 6749, 7636 and 8707). */
const parameters = {
  response_type: text(40),
  client_id: text(500),
  redirect_uri: text(500),
  state: text(2_000),
  scope: text(1_000),
  code_challenge: text(200),
  code_challenge_method: text(20),
  resource: text(500),
}
export const AccessRequest = z.object(parameters)
export type AccessRequest = z.output<typeof AccessRequest>

export const ConsentView = z.object({
  /** `host` has published the client's name; null if the client has only registered, under a name that nobody has checked. */
  client: z.object({ name: z.string(), host: z.nullable(z.string()) }),
  /** Where the browser goes then: a host, or the scheme of a program; null for a program on this computer. */
  returns_to: z.nullable(z.string()),
  scopes: z.array(z.enum(CONNECTION_SCOPES)),
  /** Address that tells the client of a refusal. */
  refused_url: z.string(),
})

export const readRequest = endpoint('GET /oauth/request', {
  access: 'user',
  query: AccessRequest,
  answer: ConsentView,
  refuses: ['client_unknown', 'redirect_refused', 'access_request_invalid', 'too_many_requests'],
  summary: 'What a program asks for, as the consent page shows it',
})

/** The user's decision, without the request. */
export const consent = {
  credits_per_month: z.optional(z.int('invalid_number').check(z.gte(1, 'too_small'), z.lte(MAX_CREDITS, 'too_large'))),
  password: z.optional(CurrentPassword),
  token: z.optional(Token),
}

export const allowAccess = endpoint('POST /oauth/consent', {
  access: 'user',
  unlessSuspended: true,
  body: z.object({ ...parameters, ...consent }),
  answer: z.object({ redirect_to: z.string() }),
  refuses: [
    ...['client_unknown', 'redirect_refused', 'access_request_invalid', 'too_many_requests'],
    ...['step_up_required', 'mail_required', 'token_invalid', 'too_many_keys'],
  ],
  summary: 'Allows a program what it asks for. Returns the address that hands over its code',
})
