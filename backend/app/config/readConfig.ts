import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'
import type { PaypalAccess } from '../../providers/payments/paypal/paypalApi.ts'
import type { S3Access } from '../../providers/storage/s3MediaStore.ts'
import type { PaidTier } from '../../subscriptions/events.ts'
import { layoutFaults, ROLES, type Role } from './layoutFaults.ts'

const blankIsUnset = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))

const rolesOf = (text: string): Role[] => {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const unknown = names.filter((name) => !ROLES.includes(name as Role))
  if (unknown.length > 0) throw new ConfigError(`ROLES: "${unknown.join(', ')}" is none of ${ROLES.join(', ')}`)
  return names as Role[]
}

/** Names alone: an offset such as +01:00 means the opposite to Postgres, and knows no daylight saving. */
const isTimeZone = (name: string): boolean => {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

const Environment = z.object({
  NODE_ENV: z._default(z.enum(['development', 'test', 'production']), 'development'),
  PORT: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65535)), 3000),
  HOST: z._default(z.string(), '127.0.0.1'),
  DATA_DIR: z._default(z.string(), '.data'),
  PUBLIC_URL: z.optional(z.url()),
  ROLES: z._default(z.string(), ROLES.join(',')),
  DATABASE_URL: z.optional(z.string()),
  EVENTSTORE_URL: z.optional(z.string()),
  TEMPORAL_ADDRESS: z.optional(z.string().check(z.regex(/^[^\s:/]+:\d+$/, 'a host and a port such as localhost:7233'))),
  TEMPORAL_NAMESPACE: z._default(z.string(), 'default'),
  EVENTSTORE_CA: z.optional(z.string()),
  DRAIN_MS: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(60_000)), 0),
  SESSION_SECRET: z.optional(z.string().check(z.minLength(32))),
  ENCRYPTION_KEY: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/i, '64 hexadecimal digits'))),
  SMTP_URL: z.optional(
    z.string().check(z.regex(/^smtps?:\/\/\S+$/, 'an address such as smtp://user:password@host:587')),
  ),
  MAIL_FROM: z.optional(
    z.string().check(z.regex(/^[^\r\n]*\S+@\S+$/, 'an address such as Kinora <hello@kinora.example>')),
  ),
  TRUSTED_PROXIES: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(10)), 0),
  SUPPORT_EMAIL: z._default(z.string(), 'support@kinora.example'),
  FFMPEG_PATH: z.optional(z.string()),
  MINIMAX_API_KEY: z.optional(z.string()),
  MINIMAX_BASE_URL: z._default(z.url(), 'https://api.minimax.io'),
  PAYPAL_CLIENT_ID: z.optional(z.string()),
  PAYPAL_CLIENT_SECRET: z.optional(z.string()),
  PAYPAL_BASE_URL: z._default(z.url(), 'https://api-m.paypal.com'),
  PAYPAL_WEBHOOK_ID: z.optional(z.string()),
  PAYPAL_PLAN_STANDARD: z.optional(z.string()),
  PAYPAL_PLAN_PRO: z.optional(z.string()),
  PAYPAL_PLAN_ULTIMATE: z.optional(z.string()),
  S3_ENDPOINT: z.optional(z.url()),
  S3_BUCKET: z.optional(z.string()),
  S3_ACCESS_KEY_ID: z.optional(z.string()),
  S3_SECRET_ACCESS_KEY: z.optional(z.string()),
  S3_REGION: z._default(z.string(), 'us-east-1'),
  OPERATOR_USERNAME: z._default(z.string().check(z.maxLength(128)), 'operator'),
  OPERATOR_PASSWORD: z.optional(z.string().check(z.maxLength(256))),
  OPERATOR_TIME_ZONE: z._default(
    z.string().check(z.refine(isTimeZone, 'an IANA time zone such as Europe/Berlin')),
    'UTC',
  ),
  METRICS_TOKEN: z.optional(z.string().check(z.minLength(16))),
  LOG_LEVEL: z.optional(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])),
})

/** Every variable that Kinora reads. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape)

export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Who may see the board. */
export interface Operator {
  readonly username: string
  readonly password: string
  /** The password was made at this start, and the operator has not seen it yet. */
  readonly isNew: boolean
  /** IANA name of the zone that the board's days and hours are counted in. */
  readonly timeZone: string
}

export interface Config {
  readonly production: boolean
  readonly port: number
  readonly host: string
  readonly dataDir: string
  /** Set, or made from the port that was bound. */
  readonly publicUrl: string | undefined
  readonly roles: readonly Role[]
  readonly databaseUrl: string | undefined
  readonly eventStoreUrl: string | undefined
  /** Undefined: workflows run on the embedded engine. */
  readonly temporal: { readonly address: string; readonly namespace: string } | undefined
  /** File of the certificate authority that EventStoreDB's certificates are checked by; undefined: those that Node knows. */
  readonly eventStoreCa: string | undefined
  /** Milliseconds between `/readyz` telling that the process stops and the first thing that stops. */
  readonly drainMs: number
  readonly sessionSecret: string
  /** 64 hexadecimal digits; wraps the users' keys. */
  readonly encryptionKey: string
  /** The mail server, and whom mails come from; without one, mails are kept for the mailbox page. */
  readonly smtp: { readonly url: string; readonly from: string } | undefined
  /** Proxies in front of the server, each of which names whom it speaks for in X-Forwarded-For. */
  readonly trustedProxies: number
  readonly supportEmail: string
  readonly operator: Operator
  readonly ffmpegPath: string | undefined
  readonly logLevel: string
  /** Who may read /metrics shows it; without one, nobody may in production. */
  readonly metricsToken: string | undefined
  /** Undefined: videos are rendered on this machine. */
  readonly minimax: { readonly apiKey: string; readonly baseUrl: string } | undefined
  /** Undefined: plans are paid for at the sandbox, with no money. */
  readonly paypal:
    | (PaypalAccess & { readonly webhookId: string; readonly plans: Readonly<Record<PaidTier, string>> })
    | undefined
  /** Undefined: media lie in a folder. */
  readonly s3: S3Access | undefined
}

/** Reads the environment once. @throws ConfigError naming each variable that is wrong or missing */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const parsed = z.safeParse(Environment, blankIsUnset(environment))
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'))
  const env = parsed.data
  const production = env.NODE_ENV === 'production'
  const roles = rolesOf(env.ROLES)
  if (production) refuseUnsafe(env)
  const faults = layoutFaults({ ...env, ROLES: roles })
  if (faults.length > 0) throw new ConfigError(`This layout would not work:\n- ${faults.join('\n- ')}`)
  if ((env.SMTP_URL === undefined) !== (env.MAIL_FROM === undefined))
    throw new ConfigError('SMTP_URL and MAIL_FROM belong together: set both, or none')
  const dataDir = path.resolve(env.DATA_DIR)
  const secrets = env.SESSION_SECRET && env.ENCRYPTION_KEY ? {} : keptSecrets(dataDir)
  return {
    production,
    port: env.PORT,
    host: env.HOST,
    dataDir,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    roles,
    databaseUrl: env.DATABASE_URL,
    eventStoreUrl: env.EVENTSTORE_URL,
    temporal: env.TEMPORAL_ADDRESS ? { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE } : undefined,
    eventStoreCa: env.EVENTSTORE_CA,
    drainMs: env.DRAIN_MS,
    sessionSecret: env.SESSION_SECRET ?? secrets.SESSION_SECRET!,
    encryptionKey: env.ENCRYPTION_KEY ?? secrets.ENCRYPTION_KEY!,
    smtp: env.SMTP_URL && env.MAIL_FROM ? { url: env.SMTP_URL, from: env.MAIL_FROM } : undefined,
    trustedProxies: env.TRUSTED_PROXIES,
    supportEmail: env.SUPPORT_EMAIL,
    operator: operatorOf(env, dataDir),
    ffmpegPath: env.FFMPEG_PATH,
    minimax: env.MINIMAX_API_KEY ? { apiKey: env.MINIMAX_API_KEY, baseUrl: env.MINIMAX_BASE_URL } : undefined,
    paypal: paypalOf(env),
    s3: bucketOf(env),
    metricsToken: env.METRICS_TOKEN,
    logLevel: env.LOG_LEVEL ?? (production ? 'info' : 'warn'),
  }
}

const PAYPAL_NEEDS = [
  'PAYPAL_CLIENT_ID',
  'PAYPAL_CLIENT_SECRET',
  'PAYPAL_WEBHOOK_ID',
  'PAYPAL_PLAN_STANDARD',
  'PAYPAL_PLAN_PRO',
  'PAYPAL_PLAN_ULTIMATE',
] as const

function paypalOf(env: z.infer<typeof Environment>): Config['paypal'] {
  if (!isComplete(env, PAYPAL_NEEDS, 'PAYPAL_')) return undefined
  return {
    clientId: env.PAYPAL_CLIENT_ID!,
    clientSecret: env.PAYPAL_CLIENT_SECRET!,
    baseUrl: env.PAYPAL_BASE_URL,
    webhookId: env.PAYPAL_WEBHOOK_ID!,
    plans: {
      standard: env.PAYPAL_PLAN_STANDARD!,
      pro: env.PAYPAL_PLAN_PRO!,
      ultimate: env.PAYPAL_PLAN_ULTIMATE!,
    },
  }
}

const S3_NEEDS = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

function bucketOf(env: z.infer<typeof Environment>): S3Access | undefined {
  if (!isComplete(env, S3_NEEDS, 'S3_')) return undefined
  return {
    endpoint: env.S3_ENDPOINT!,
    bucket: env.S3_BUCKET!,
    accessKeyId: env.S3_ACCESS_KEY_ID!,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
    region: env.S3_REGION,
  }
}

/** Whether all of these variables are set; false: none of them is. @throws ConfigError some are */
function isComplete(
  env: z.infer<typeof Environment>,
  needs: readonly (keyof z.infer<typeof Environment>)[],
  family: string,
): boolean {
  const missing = needs.filter((name) => env[name] === undefined)
  if (missing.length > 0 && missing.length < needs.length)
    throw new ConfigError(missing.map((name) => `${name}: not set, while others of ${family} are`).join('\n'))
  return missing.length === 0
}

/** How secrets begin that docker-compose.yml brings for development. */
const KNOWN_SECRET = 'development-only'

function refuseUnsafe(env: z.infer<typeof Environment>): void {
  const needs = [
    'SESSION_SECRET',
    'ENCRYPTION_KEY',
    'PUBLIC_URL',
    'SMTP_URL',
    'MAIL_FROM',
    'OPERATOR_PASSWORD',
  ] as const
  const faults = needs.filter((name) => env[name] === undefined).map((name) => `${name} is not set`)
  if (env.PUBLIC_URL && !env.PUBLIC_URL.startsWith('https://'))
    faults.push('PUBLIC_URL is not https: cookies would be insecure')
  if (env.OPERATOR_PASSWORD && env.OPERATOR_PASSWORD.length < 12)
    faults.push('OPERATOR_PASSWORD has fewer than 12 characters')
  const known = (['SESSION_SECRET', 'OPERATOR_PASSWORD'] as const).filter((name) => env[name]?.startsWith(KNOWN_SECRET))
  for (const name of [...known, ...(/^0+$/.test(env.ENCRYPTION_KEY ?? '') ? ['ENCRYPTION_KEY'] : [])])
    faults.push(`${name}: that of docker-compose.yml is known to everybody`)
  if (!env.MINIMAX_API_KEY) faults.push('MINIMAX_API_KEY is not set: the demo renderer is for development')
  faults.push(...PAYPAL_NEEDS.filter((name) => env[name] === undefined).map((name) => `${name} is not set`))
  if (faults.length === 0) return
  throw new ConfigError(`Production mode refuses to start:\n- ${faults.join('\n- ')}`)
}

/** Secrets that were not set are made once and kept in the data folder, readable by its owner alone. */
function keptSecrets(dataDir: string): Readonly<Record<string, string>> {
  const file = path.join(dataDir, 'secrets.json')
  if (!existsSync(file)) {
    const made = { SESSION_SECRET: randomBytes(32).toString('hex'), ENCRYPTION_KEY: randomBytes(32).toString('hex') }
    keepNew(file, dataDir, JSON.stringify(made, null, 2))
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

const PASSWORD_FILE = 'operator-password'

function operatorOf(env: z.infer<typeof Environment>, dataDir: string): Operator {
  const { OPERATOR_USERNAME: username, OPERATOR_PASSWORD: given, OPERATOR_TIME_ZONE: timeZone } = env
  if (given) return { username, password: given, isNew: false, timeZone }
  const file = path.join(dataDir, PASSWORD_FILE)
  const isNew = !existsSync(file) && keepNew(file, dataDir, randomBytes(12).toString('base64url'))
  return { username, password: readFileSync(file, 'utf8').trim(), isNew, timeZone }
}

/** Writes a file readable by its owner alone. @returns false where another starter was faster */
function keepNew(file: string, dataDir: string, content: string): boolean {
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(file, `${content}\n`, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
