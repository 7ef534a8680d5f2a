import * as z from 'zod/mini'
import { endpoint, Message, paging } from '../kernel/http/contract.ts'
import { CurrentPassword, Email, FullName, Language, Password, Token } from './contracts/fields.contract.ts'
import { User } from './contracts/user.contract.ts'
import { PasskeyAnswer, TicketAndCode } from './secondFactors.contract.ts'

export { Email, Language, PASSWORD_MIN, Password } from './contracts/fields.contract.ts'
export { User } from './contracts/user.contract.ts'
export * from './identities/identities.contract.ts'
export * from './notices/notices.contract.ts'
export * from './secondFactors.contract.ts'
export * from './start/start.contract.ts'

export const NewName = z.object({ username: FullName })
export const PasswordChange = z.object({ current_password: CurrentPassword, new_password: Password })
/** The proof of a deletion: the password or, without one, the token of a mail. A recent passkey needs neither. */
export const AccountDeletion = z.object({ password: z.optional(CurrentPassword), token: z.optional(Token) })
export const Credentials = z.object({ email: Email, password: Password })
export const Registration = z.extend(Credentials, { username: FullName, language: z._default(Language, 'en') })

export const register = endpoint('POST /auth/register', {
  access: 'public',
  body: Registration,
  answer: Message,
  status: 201,
  refuses: ['too_many_requests', 'email_already_registered', 'registration_closed', 'registration_paused'],
  summary: 'Registers an account and mails a verification link',
})

export const verifyEmail = endpoint('POST /auth/verify-email', {
  access: 'public',
  body: z.object({ token: Token }),
  /** `credits_granted` is false if an earlier account for this mailbox received the free credits. */
  answer: z.extend(Message, { credits_granted: z.boolean() }),
  refuses: ['token_invalid', 'already_verified'],
  summary: 'Verifies the address and grants the free credits once',
})

export const resendVerification = endpoint('POST /auth/resend-verification', {
  access: 'public',
  body: z.object({ email: Email }),
  answer: Message,
  refuses: ['too_many_requests', 'registration_closed'],
  summary: 'Mails a new verification link',
})

export const EmailEntry = z.object({ email: Email })
export const forgotPassword = endpoint('POST /auth/forgot-password', {
  access: 'public',
  body: EmailEntry,
  answer: Message,
  refuses: ['too_many_requests', 'registration_closed'],
  summary: 'Mails a link that sets a new password; the answer is the same for every address',
})

export const resetPassword = endpoint('POST /auth/reset-password', {
  access: 'public',
  /** An invited account gets the language of the page that sets its first password. */
  body: z.object({ token: Token, new_password: Password, language: z.optional(Language) }),
  answer: Message,
  refuses: ['token_invalid'],
  summary: 'Sets a new password with a mailed token and ends every session',
})

export const saveLanguage = endpoint('PUT /users/language', {
  access: 'user',
  body: z.object({ language: Language }),
  answer: z.object({ language: Language }),
  summary: "Stores the user's language",
})

export const login = endpoint('POST /auth/login', {
  access: 'public',
  body: Credentials,
  answer: z.object({ user: User }),
  refuses: [
    'unauthenticated',
    'invalid_credentials',
    'email_not_verified',
    'second_factor_required',
    'too_many_requests',
  ],
  summary:
    'Signs in: sets the httpOnly session cookies. With a second factor: 401 `second_factor_required` and a ticket',
})

export const secondFactor = endpoint('POST /auth/second-factor', {
  access: 'public',
  body: TicketAndCode,
  answer: z.object({ user: User }),
  refuses: ['unauthenticated', 'ticket_invalid', 'too_many_requests'],
  summary: 'Finishes a sign-in that answered `second_factor_required`, with its ticket and a code',
})

export const passkeyLogin = endpoint('POST /auth/passkey', {
  access: 'public',
  body: PasskeyAnswer,
  answer: z.object({ user: User }),
  refuses: ['unauthenticated', 'passkey_refused', 'too_many_requests'],
  summary: 'Signs in with a passkey alone',
})

export const me = endpoint('GET /auth/me', { access: 'user', answer: User, summary: 'Returns the signed-in user' })

export const refresh = endpoint('POST /auth/refresh', {
  access: 'public',
  answer: Message,
  refuses: ['unauthenticated'],
  summary: 'Rotates the refresh token and renews the access cookie',
})

export const logout = endpoint('POST /auth/logout', { access: 'public', answer: Message, summary: 'Ends the session' })

export const saveName = endpoint('PUT /users/name', {
  access: 'user',
  body: NewName,
  answer: User,
  summary: "Changes the user's name",
})

export const changePassword = endpoint('PUT /users/password', {
  access: 'user',
  body: PasswordChange,
  answer: Message,
  summary: 'Changes the password, ends all other sessions and mails a notice',
})

const origin = {
  /** Browser name, such as Firefox; null if unknown. */
  browser: z.nullable(z.string()),
  /** Operating system, such as Windows; null if unknown. */
  system: z.nullable(z.string()),
}

export const SessionView = z.object({
  id: z.string(),
  ...origin,
  created_at: z.string(),
  last_used_at: z.string(),
  current: z.boolean(),
})
export type SessionView = z.infer<typeof SessionView>

export const listSessions = endpoint('GET /users/sessions', {
  access: 'user',
  answer: z.object({ sessions: z.array(SessionView) }),
  summary: "Lists the user's sessions, last used first",
})

export const endOtherSessions = endpoint('DELETE /users/sessions', {
  access: 'user',
  status: 204,
  summary: 'Ends all other sessions of the user',
})

export const endSession = endpoint('DELETE /users/sessions/:id', {
  access: 'user',
  status: 204,
  summary: 'Ends one session of the user',
})

/** What the security log records about an account. */
const SECURITY_EVENTS = [
  'signed_in',
  'new_device',
  'sign_in_failed',
  'throttled',
  'signed_out',
  'session_ended',
  'other_sessions_ended',
  'session_stolen',
  'reset_requested',
  'password_reset',
  'password_changed',
  'secured',
  'second_factor_added',
  'second_factor_removed',
  'second_factor_failed',
  'recovery_codes_renewed',
  'recovery_code_used',
  'passkey_added',
  'passkey_removed',
  'identity_connected',
  'identity_disconnected',
  'api_key_created',
  'api_key_rotated',
  'api_key_ended',
  'api_key_ended_by_operator',
  'connection_allowed',
  'address_changed',
  'suspended',
  'restored',
  'signed_out_by_operator',
  'verified_by_operator',
] as const
const SecurityEvent = z.enum(SECURITY_EVENTS)
export type SecurityEvent = z.infer<typeof SecurityEvent>

export const SecurityRecord = z.object({
  id: z.string(),
  at: z.string(),
  event: SecurityEvent,
  ...origin,
  /** Network of the request: a /24 for IPv4, a /48 for IPv6; null if unknown. */
  network: z.nullable(z.string()),
})
export type SecurityRecord = z.infer<typeof SecurityRecord>

export const securityRecords = endpoint('GET /users/security', {
  access: 'user',
  query: z.object(paging(10)),
  answer: z.object({ records: z.array(SecurityRecord), total: z.number() }),
  summary: 'Sign-ins, failures and other events of the last 90 days that concern access to the account, newest first',
})

export const secureAccount = endpoint('POST /auth/secure', {
  access: 'public',
  body: z.object({ token: Token }),
  /** `reset_token` sets a new password, as a mailed one does. */
  answer: z.extend(Message, { reset_token: z.string() }),
  refuses: ['token_invalid'],
  summary:
    'Ends every session, disables the password and removes recent second factors, connected sign-ins, API keys, webhooks and ' +
    "members of the user's team, with the link of a mail about a new device or a changed way to sign in",
})

export const readPassword = endpoint('GET /users/password', {
  access: 'user',
  answer: z.object({ set: z.boolean() }),
  summary: 'Whether the account has a password; one made by a mailed link has none until it is set with a reset link',
})

export const mailDeletion = endpoint('POST /users/delete/mail', {
  access: 'user',
  answer: Message,
  status: 202,
  refuses: ['too_many_requests', 'registration_closed'],
  summary: 'Mails a link that confirms the deletion of an account without a password',
})

export const deleteAccount = endpoint('POST /users/delete', {
  access: 'user',
  body: AccountDeletion,
  answer: Message,
  refuses: ['step_up_required', 'mail_required', 'token_invalid', 'too_many_requests'],
  summary:
    'Deletes the account and everything made in it, after a check of the password and, if there is one, of the second ' +
    'factor. Without a password: of a passkey or of a mailed token',
})
