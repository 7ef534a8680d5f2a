import * as z from 'zod/mini'
import { endpoint, Message } from '../kernel/http/contract.ts'
import { cleanLine, MAX_TYPED } from '../kernel/text/typedText.contract.ts'

const required = { error: 'required' }
/** A code of an authenticator app, or a recovery code. Spaces, hyphens and case do not count. */
const Code = z
  .string(required)
  .check(z.trim(), z.minLength(1, { error: 'required', abort: true }), z.maxLength(64, 'wrong_code'))
export const CodeEntry = z.object({ code: Code })
/** The account's password, to which the rules for new passwords do not apply. */
const Password = z.string(required).check(z.minLength(1, 'required'), z.maxLength(1024, 'wrong_password'))
export const PasswordEntry = z.object({ password: Password })

/** How a sign-in with a correct password continues: `second_factor_required` names the methods, with a ticket. */
export type Method = 'passkey' | 'totp' | 'recovery_code'

export const TicketAndCode = z.object({
  ticket: z.string(required).check(z.minLength(1, 'required'), z.maxLength(400, 'ticket_invalid')),
  code: Code,
})

/** A WebAuthn structure, as its JSON form. */
const WebAuthnJson = z.record(z.string(), z.unknown())
export const PasskeyAnswer = z.object({ credential: WebAuthnJson })
const Options = z.object({ options: WebAuthnJson })

const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
})
export type Passkey = z.infer<typeof Passkey>
/** Name and password of a new passkey. */
export const PasskeyEntry = z.extend(PasswordEntry, {
  name: z
    .string(required)
    .check(
      z.maxLength(MAX_TYPED, { error: 'name_too_long', abort: true }),
      z.overwrite(cleanLine),
      z.minLength(1, { error: 'required', abort: true }),
      z.maxLength(80, 'name_too_long'),
    ),
})

const Factors = z.object({
  /** Oldest first. */
  passkeys: z.array(Passkey),
  /** Whether an authenticator app is set up. */
  totp: z.boolean(),
  /** Number of unused recovery codes. */
  recovery_codes: z.number(),
  /** Whether the operator of a production installation has no second factor. */
  missing: z.boolean(),
})
export type Factors = z.infer<typeof Factors>

const TotpSetup = z.object({
  /** Base32, for manual entry. */
  secret: z.string(),
  /** `otpauth://` address. */
  uri: z.string(),
  /** QR code of the address: an SVG path in a square of `size` units, without a margin. */
  qr: z.object({ size: z.number(), path: z.string() }),
})
export type TotpSetup = z.infer<typeof TotpSetup>

const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })

type Prefix = '/users' | '/analytics'
type Access = 'user' | 'operator'

/** Operators of every role manage their own factors. */
const role = 'invited'

const passkeyEndpoints = (prefix: Prefix, access: Access) => ({
  beginPasskey: endpoint(`POST ${prefix}/passkeys/options` as const, {
    access,
    role,
    body: PasswordEntry,
    answer: Options,
    refuses: ['step_up_required', 'too_many_passkeys', 'too_many_requests'],
    summary: 'Returns the WebAuthn options with which the browser creates a passkey, after a step-up',
  }),
  addPasskey: endpoint(`POST ${prefix}/passkeys` as const, {
    access,
    role,
    body: z.extend(PasskeyAnswer, { name: PasskeyEntry.shape.name }),
    answer: RecoveryCodes,
    refuses: ['passkey_refused', 'step_up_required', 'too_many_passkeys'],
    summary: 'Stores a passkey that the browser created, after a step-up; returns recovery codes with the first factor',
  }),
  removePasskey: endpoint(`DELETE ${prefix}/passkeys/:passkey` as const, {
    access,
    role,
    status: 204,
    refuses: ['step_up_required'],
    summary: 'Removes a passkey, after a step-up',
  }),
  challenge: endpoint(`POST ${prefix}/passkeys/challenge` as const, {
    access: 'public',
    answer: Options,
    summary: 'Returns the WebAuthn options for a sign-in or a step-up with a passkey',
  }),
  stepUpByPasskey: endpoint(`POST ${prefix}/step-up/passkey` as const, {
    access,
    role,
    body: PasskeyAnswer,
    answer: Message,
    refuses: ['passkey_refused', 'too_many_requests'],
    summary: 'Proves a passkey again, for ten minutes of sensitive actions',
  }),
})

/** Declares the endpoints with which a signed-in user, or the operator, manages second factors. */
export const factorEndpoints = (prefix: Prefix, access: Access) => ({
  list: endpoint(`GET ${prefix}/factors` as const, {
    access,
    role,
    answer: Factors,
    summary: 'The second factors',
  }),
  beginTotp: endpoint(`POST ${prefix}/totp` as const, {
    access,
    role,
    body: PasswordEntry,
    answer: TotpSetup,
    refuses: ['factor_exists', 'step_up_required', 'too_many_requests'],
    summary: 'Makes the secret for an authenticator app, after a step-up; it counts once it is confirmed',
  }),
  confirmTotp: endpoint(`POST ${prefix}/totp/confirm` as const, {
    access,
    role,
    body: CodeEntry,
    answer: RecoveryCodes,
    refuses: ['step_up_required'],
    summary: 'Turns the authenticator app on, after a step-up; returns recovery codes with the first factor',
  }),
  removeTotp: endpoint(`DELETE ${prefix}/totp` as const, {
    access,
    role,
    refuses: ['step_up_required'],
    status: 204,
    summary: 'Turns the authenticator app off, after a step-up',
  }),
  renewCodes: endpoint(`POST ${prefix}/recovery-codes` as const, {
    access,
    role,
    answer: RecoveryCodes,
    refuses: ['step_up_required', 'not_found'],
    summary: 'Replaces the recovery codes, after a step-up',
  }),
  ...passkeyEndpoints(prefix, access),
  checkStepUp: endpoint(`GET ${prefix}/step-up` as const, {
    access,
    role,
    status: 204,
    refuses: ['step_up_required'],
    summary: 'Answers 403 `step_up_required` if a sensitive action needs a step-up first',
  }),
  stepUp: endpoint(`POST ${prefix}/step-up` as const, {
    access,
    role,
    body: CodeEntry,
    answer: Message,
    refuses: ['too_many_requests'],
    summary: 'Proves the second factor again, for ten minutes of sensitive actions',
  }),
})
export type FactorEndpoints = ReturnType<typeof factorEndpoints>

export const userFactors = factorEndpoints('/users', 'user')
