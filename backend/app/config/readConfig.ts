import path from 'node:path'
import type { PaypalAccess } from '../../providers/payments/paypal/paypalApi.ts'
import type { S3Access } from '../../providers/storage/s3MediaStore.ts'
import type { PaidTier } from '../../subscriptions/events.ts'
import { ConfigError, type Environment, isComplete, parseEnvironment, type Role } from './environment.ts'
import { checkLayout, parseRoles, refuse } from './layout.ts'
import { readOperator, readSecrets } from './secrets.ts'

/**
 * Configuration from the environment. A service that is not configured is undefined and replaced by an embedded one.
 */
export interface Config {
  readonly production: boolean
  /** Absolute path of the folder for the embedded database, media and generated secrets. */
  readonly dataDir: string
  readonly roles: readonly Role[]
  readonly logLevel: string
  readonly secrets: Readonly<ReturnType<typeof readSecrets>>
  readonly http: {
    readonly port: number
    readonly host: string
    /** Without a trailing slash. If undefined, derived from the port once it is bound. */
    readonly publicUrl: string | undefined
    /** Number of reverse proxies whose X-Forwarded-For entries are trusted. */
    readonly trustedProxies: number
    /** Time for which a stopping process keeps serving while `/readyz` returns 503, ms. */
    readonly drainMs: number
    /** Bearer token of `/metrics`, which production does not serve without one. */
    readonly metricsToken: string | undefined
    readonly supportEmail: string
  }
  /** If undefined, an embedded PostgreSQL is used. */
  readonly database: { readonly url: string } | undefined
  /** EventStoreDB and its CA certificate file. If undefined, events are stored in PostgreSQL. */
  readonly eventStore: { readonly url: string; readonly ca: string | undefined } | undefined
  /** If undefined, the embedded workflow engine is used. */
  readonly temporal: { readonly address: string; readonly namespace: string } | undefined
  readonly video: {
    /** If undefined, the demo renderer is used. */
    readonly minimax: { readonly apiKey: string; readonly baseUrl: string } | undefined
    readonly ffmpegPath: string | undefined
  }
  readonly payments: {
    /** If undefined, the payment sandbox is used. */
    readonly paypal:
      | (PaypalAccess & { readonly webhookId: string; readonly plans: Readonly<Record<PaidTier, string>> })
      | undefined
  }
  /** If undefined, emails are kept for `/dev/mailbox`. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  /** If undefined, media files are stored in `dataDir`. */
  readonly storage: S3Access | undefined
  readonly operators: Readonly<ReturnType<typeof readOperator>>
}

/** Reads the environment. @throws ConfigError naming each variable that is invalid or missing */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const env = parseEnvironment(environment)
  const production = env.NODE_ENV === 'production'
  const roles = parseRoles(env.ROLES)
  if (production) refuse('Production mode refuses to start', productionFaults(env))
  checkLayout(env, roles)
  if ((env.SMTP_URL === undefined) !== (env.MAIL_FROM === undefined))
    throw new ConfigError('SMTP_URL and MAIL_FROM belong together: set both, or none')
  const dataDir = path.resolve(env.DATA_DIR)
  return {
    production,
    dataDir,
    roles,
    logLevel: env.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    secrets: readSecrets(env, dataDir),
    http: {
      port: env.PORT,
      host: env.HOST,
      publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
      trustedProxies: env.TRUSTED_PROXIES,
      drainMs: env.DRAIN_MS,
      metricsToken: env.METRICS_TOKEN,
      supportEmail: env.SUPPORT_EMAIL,
    },
    database: env.DATABASE_URL ? { url: env.DATABASE_URL } : undefined,
    eventStore: env.EVENTSTORE_URL ? { url: env.EVENTSTORE_URL, ca: env.EVENTSTORE_CA } : undefined,
    temporal: env.TEMPORAL_ADDRESS ? { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE } : undefined,
    video: {
      minimax: env.MINIMAX_API_KEY ? { apiKey: env.MINIMAX_API_KEY, baseUrl: env.MINIMAX_BASE_URL } : undefined,
      ffmpegPath: env.FFMPEG_PATH,
    },
    payments: { paypal: readPaypal(env) },
    mail: env.SMTP_URL && env.MAIL_FROM ? { url: env.SMTP_URL, from: env.MAIL_FROM } : undefined,
    storage: readBucket(env),
    operators: readOperator(env, dataDir),
  }
}

const PAYPAL = [
  'PAYPAL_CLIENT_ID',
  'PAYPAL_CLIENT_SECRET',
  'PAYPAL_WEBHOOK_ID',
  'PAYPAL_PLAN_STANDARD',
  'PAYPAL_PLAN_PRO',
  'PAYPAL_PLAN_ULTIMATE',
] as const

function readPaypal(env: Environment) {
  if (!isComplete(env, PAYPAL, 'PAYPAL_')) return undefined
  return {
    clientId: env.PAYPAL_CLIENT_ID!,
    clientSecret: env.PAYPAL_CLIENT_SECRET!,
    baseUrl: env.PAYPAL_BASE_URL,
    webhookId: env.PAYPAL_WEBHOOK_ID!,
    plans: { standard: env.PAYPAL_PLAN_STANDARD!, pro: env.PAYPAL_PLAN_PRO!, ultimate: env.PAYPAL_PLAN_ULTIMATE! },
  }
}

function readBucket(env: Environment): S3Access | undefined {
  if (!isComplete(env, ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'], 'S3_'))
    return undefined
  return {
    endpoint: env.S3_ENDPOINT!,
    bucket: env.S3_BUCKET!,
    accessKeyId: env.S3_ACCESS_KEY_ID!,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
    region: env.S3_REGION,
  }
}

/** Prefix of the secrets that docker-compose.yml ships for development. */
const PUBLISHED_SECRET = 'development-only'

function productionFaults(env: Environment): string[] {
  const required = [
    'SESSION_SECRET',
    'ENCRYPTION_KEY',
    'PUBLIC_URL',
    'SMTP_URL',
    'MAIL_FROM',
    'OPERATOR_PASSWORD',
  ] as const
  const faults = required.filter((name) => env[name] === undefined).map((name) => `${name} is not set`)
  if (env.PUBLIC_URL && !env.PUBLIC_URL.startsWith('https://'))
    faults.push('PUBLIC_URL is not https: cookies would be insecure')
  if (env.OPERATOR_PASSWORD && env.OPERATOR_PASSWORD.length < 12)
    faults.push('OPERATOR_PASSWORD has fewer than 12 characters')
  const published: (keyof Environment)[] = (['SESSION_SECRET', 'OPERATOR_PASSWORD'] as const).filter((name) =>
    env[name]?.startsWith(PUBLISHED_SECRET),
  )
  if (/^0+$/.test(env.ENCRYPTION_KEY ?? '')) published.push('ENCRYPTION_KEY')
  faults.push(...published.map((name) => `${name}: the value in docker-compose.yml is public`))
  if (!env.MINIMAX_API_KEY) faults.push('MINIMAX_API_KEY is not set: the demo renderer is for development')
  faults.push(...PAYPAL.filter((name) => env[name] === undefined).map((name) => `${name} is not set`))
  return faults
}
