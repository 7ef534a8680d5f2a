import * as z from 'zod/mini'
import { Email, Language, Password, Token } from '../../accounts/contracts/fields.contract.ts'
import { endpoint, OPERATOR_ROLES } from '../../kernel/http/contract.ts'

const success = z.literal(true)
const GivenRole = z.enum(['viewer', 'support', 'owner'], 'required')

const Operator = z.object({
  id: z.string(),
  name: z.string(),
  /** Address of the invitation; null for the operator of the environment. */
  email: z.nullable(z.string()),
  role: GivenRole,
  status: z.enum(['invited', 'active']),
  /** Passkeys with which the operator signs. */
  keys: z.number(),
})
export type Operator = z.infer<typeof Operator>

/** Names are stored for ever, so they are not addresses. */
const Name = z
  .string('required')
  .check(z.trim(), z.minLength(1, 'required'), z.maxLength(40, 'name_too_long'), z.regex(/^\w[\w.+-]*$/, 'invalid'))

export const Invitation = z.object({ name: Name, email: Email, role: GivenRole, language: z._default(Language, 'en') })
/** The name of an operator who forgot the password. */
export const Forgotten = z.object({
  username: z.string('required').check(z.minLength(1, 'required'), z.maxLength(128, 'too_long')),
  language: z._default(Language, 'en'),
})
export const Acceptance = z.object({ token: Token, password: Password })

export const me = endpoint('GET /analytics/me', {
  access: 'operator',
  role: 'invited',
  answer: z.object({
    success,
    id: z.string(),
    name: z.string(),
    role: z.enum(OPERATOR_ROLES),
    /** Whether there is no other owner. */
    alone: z.boolean(),
  }),
  summary: 'The signed-in operator',
})

export const operators = endpoint('GET /analytics/operators', {
  access: 'operator',
  answer: z.object({ success, masked: z.optional(z.literal(true)), operators: z.array(Operator) }),
  summary: 'Operators, and those who were invited',
})

const refuses = ['step_up_required', 'not_found']

export const inviteOperator = endpoint('POST /analytics/operators', {
  access: 'operator',
  role: 'owner',
  body: Invitation,
  status: 201,
  /** `link`: to pass on, if it could not be mailed. */
  answer: z.object({ id: z.string(), link: z.nullable(z.string()) }),
  refuses: [...refuses, 'operator_exists'],
  summary: 'Invites an operator by mail. The link is valid for three days',
})

export const changeOperatorRole = endpoint('PUT /analytics/operators/:id', {
  access: 'operator',
  role: 'owner',
  body: z.object({ role: GivenRole }),
  status: 204,
  refuses: [...refuses, 'last_owner'],
  summary: 'Changes the role of an operator, also in open sessions',
})

export const removeOperator = endpoint('DELETE /analytics/operators/:id', {
  access: 'operator',
  role: 'owner',
  status: 204,
  refuses: [...refuses, 'last_owner'],
  summary: 'Removes an operator, and ends their sessions',
})

export const forgotOperatorPassword = endpoint('POST /analytics/operators/forgot', {
  access: 'public',
  body: Forgotten,
  status: 204,
  refuses: ['too_many_requests'],
  summary: 'Mails a link that sets a new password to an operator, once a minute. Answers the same for every name',
})

export const acceptInvitation = endpoint('POST /analytics/operators/accept', {
  access: 'public',
  body: Acceptance,
  /** `signed_in`: false if the second factor is asked for at the sign-in. */
  answer: z.object({ success, name: z.string(), signed_in: z.boolean() }),
  refuses: ['token_invalid', 'too_many_requests'],
  summary:
    'Chooses the password of an operator with a mailed link. Signs in who has no second factor yet, to set one up',
})
