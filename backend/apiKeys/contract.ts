import * as z from 'zod/mini'
import { CurrentPassword, Token } from '../accounts/contracts/fields.contract.ts'
import { endpoint, SCOPES } from '../kernel/http/contract.ts'
import { typedLine } from '../kernel/text/typedText.contract.ts'

export const MAX_KEYS = 20
export const EXPIRES_IN_DAYS = 90
const MAX_DAYS = 3_650
const MAX_CREDITS = 1_000_000_000

const Name = typedLine(60)
const Scopes = z.array(z.enum(SCOPES, 'invalid_choice')).check(
  z.minLength(1, 'required'),
  z.overwrite((scopes) => [...new Set(scopes)]),
)
const Credits = z.nullish(z.int('invalid_number').check(z.gte(1, 'too_small'), z.lte(MAX_CREDITS, 'too_large')))

/** An IPv4 or IPv6 address, or a network in CIDR form. */
const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'invalid_network')

/** The fresh confirmation of the person: the password or, without one, what the deletion of the account asks for. */
const confirmation = { password: z.optional(CurrentPassword), token: z.optional(Token) }

export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The last four characters. */
  hint: z.string(),
  /** Limits in credits for each day and month in UTC; null without one. */
  credits_per_day: z.nullable(z.number()),
  credits_per_month: z.nullable(z.number()),
  /** Credits that the key and those that it replaced have held and spent. */
  spent_today: z.number(),
  spent_this_month: z.number(),
  /** Models and networks that the key is limited to; null without a limit. */
  models: z.nullable(z.array(z.string())),
  networks: z.nullable(z.array(z.string())),
  created_at: z.string(),
  /** Null: never. */
  expires_at: z.nullable(z.string()),
  last_used_at: z.nullable(z.string()),
  /** Network of the last call: a /24 for IPv4, a /48 for IPv6. */
  last_network: z.nullable(z.string()),
  /** The team that pays for what the key orders; null: its user does. */
  team: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** The program that holds the key as a connection, with the host that vouches for its name; null for other keys. */
  client: z.nullable(z.object({ host: z.nullable(z.string()) })),
})
export type ApiKey = z.infer<typeof ApiKey>

const NewApiKey = z.extend(ApiKey, {
  /** The key itself, which is shown once. */
  key: z.string(),
})

export const KeyOrder = z.object({
  name: Name,
  scopes: Scopes,
  credits_per_day: Credits,
  credits_per_month: Credits,
  models: z.nullish(
    z
      .array(
        z.string().check(
          z.maxLength(100, 'too_long'),
          z.refine((id) => !/\p{Cc}/u.test(id), 'invalid'),
        ),
      )
      .check(z.minLength(1, 'required'), z.maxLength(100, 'too_many')),
  ),
  networks: z.nullish(z.array(Network).check(z.minLength(1, 'required'), z.maxLength(20, 'too_many_networks'))),
  /** The team that pays. It stays so: a key orders for one of the two. */
  team_id: z.nullish(z.uuid('unknown_team')),
  /** Null: the key never expires. */
  expires_in_days: z._default(
    z.nullable(z.int('invalid').check(z.gte(1, 'too_small'), z.lte(MAX_DAYS, 'too_large'))),
    EXPIRES_IN_DAYS,
  ),
})
export type KeyOrder = z.output<typeof KeyOrder>

const REFUSES = ['step_up_required', 'mail_required', 'token_invalid', 'too_many_requests'] as const

export const KeyCreation = z.extend(KeyOrder, confirmation)

export const KeyRotation = z.object({
  /** Hours for which the former key goes on working; 0 ends it now. */
  overlap_hours: z._default(z.int('invalid').check(z.gte(0, 'too_small'), z.lte(168, 'too_large')), 24),
  ...confirmation,
})

export const createKey = endpoint('POST /keys', {
  access: 'user',
  unlessSuspended: true,
  body: KeyCreation,
  answer: NewApiKey,
  status: 201,
  refuses: [...REFUSES, 'too_many_keys', 'not_in_team'],
  summary: 'Makes an API key, which is shown once',
})

export const listKeys = endpoint('GET /keys', {
  access: 'user',
  answer: z.object({ keys: z.array(ApiKey) }),
  summary: "The user's API keys that work, newest first",
})

export const rotateKey = endpoint('POST /keys/:id/rotate', {
  access: 'user',
  unlessSuspended: true,
  body: KeyRotation,
  answer: NewApiKey,
  status: 201,
  refuses: [...REFUSES, 'too_many_keys'],
  summary: 'Makes a second key with the same settings and limits. The former one ends after the overlap',
})

export const endKey = endpoint('DELETE /keys/:id', {
  access: 'user',
  status: 204,
  summary: 'Ends an API key, on every process within a second',
})

/** At `/v1/keys/revoke`. */
export const revokeFound = endpoint('POST /keys/revoke', {
  access: 'public',
  body: z.object({ token: z.string('required').check(z.maxLength(200, 'too_long')) }),
  answer: z.object({ revoked: z.boolean() }),
  summary: 'Ends a key that someone has found: holding it is the proof. Its owner gets a mail',
})
