import { domainToASCII } from 'node:url'
import * as z from 'zod/mini'
import { toHost } from '../../kernel/http/outgoing/guardedRequest.ts'
import { OFFERS } from '../../subscriptions/contract.ts'

export const ROLES = ['api', 'projections', 'workflows'] as const
export type Role = (typeof ROLES)[number]

/** Accepts only names: Postgres inverts offsets such as +01:00, and offsets ignore daylight saving time. */
const isTimeZone = (name: string): boolean => {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

// Each type names the form of its value, which the message of an invalid setting repeats.
const text = z.optional(z.string().check(z.regex(/^[^\r\n]*$/, 'one line')))
const pattern = (regex: RegExp, form: string) => z.optional(z.string().check(z.regex(regex, form)))
const whole = (min: number, max: number) => {
  const form = `a whole number from ${min} to ${max}`
  const isWithin = (text: string) => /^\s*\d+\s*$/.test(text) && Number(text) >= min && Number(text) <= max
  return z.pipe(z.string().check(z.refine(isWithin, form)), z.transform(Number))
}
const oneOf = <const T extends readonly string[]>(...names: T) => z.enum(names, `one of ${names.join(', ')}`)
const atLeast = (characters: number) => z.string().check(z.minLength(characters, `at least ${characters} characters`))
const atMost = (characters: number) => z.string().check(z.maxLength(characters, `at most ${characters} characters`))
const rate = whole(5, 1_000_000)
const HTTP = { protocol: /^https?$/, error: 'an address such as https://host.example' }
const hasNoUser = (address: string) => {
  const url = URL.parse(address)
  return !url || (url.username === '' && url.password === '')
}
const hasNoPath = (address: string) => {
  const url = URL.parse(address)
  return !url || (url.pathname === '/' && url.search === '' && url.hash === '')
}
/** Calls to an address with a user and password fail, and their errors show it. */
const service = z.url(HTTP).check(z.refine(hasNoUser, `${HTTP.error}, without a user and password`))

/** Hosts with commas between. */
const hosts = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (list) => list.split(',').every((host) => toHost(host.trim())),
        'hosts without ports, with a comma between, such as n8n,10.0.0.7',
      ),
    ),
  z.transform((list) => list.split(',').map((host) => toHost(host.trim())!)),
)

const namesOf = (list: string) => list.split(',').map((name) => name.trim())
const isOffer = (name: string): name is (typeof OFFERS)[number] => OFFERS.some((offer) => offer === name)

/** Teams were an offer before the software had them. */
const isFormer = (name: string) => name === 'team'

/** Mail domains with commas between, in ASCII. */
const mailDomains = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (list) => list.split(',').every((domain) => /^[^\s.@/:]+(\.[^\s.@/:]+)+$/.test(domain.trim())),
        'mail domains with a comma between, such as kinora.example,studio.example',
      ),
    ),
  z.transform((list) => list.split(',').map((domain) => domainToASCII(domain.trim().toLowerCase()))),
)

const OFFER_FORM = `none, or some of ${OFFERS.join(', ')}, with a comma between`
/** What the plans list besides what the software does. */
const offers = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (list) => list.trim() === 'none' || namesOf(list).every((name) => isOffer(name) || isFormer(name)),
        OFFER_FORM,
      ),
    ),
  z.transform((list) => namesOf(list).filter(isOffer)),
)

const Environment = z.object({
  NODE_ENV: z._default(oneOf('development', 'test', 'production'), 'development'),
  PORT: z._default(whole(0, 65535), 3000),
  HOST: z._default(z.string(), '127.0.0.1'),
  HEALTH_PORT: z.optional(whole(1, 65535)),
  KINORA_ALLOW_OPEN_DEVELOPMENT: z.optional(z.literal('1', '1, or unset')),
  DATA_DIR: z._default(z.string(), '.data'),
  PUBLIC_URL: z.optional(
    z.url(HTTP).check(z.refine(hasNoPath, `${HTTP.error}, without a path: Kinora needs a host of its own`)),
  ),
  ROLES: z._default(z.string(), ROLES.join(',')),
  DATABASE_URL: text,
  EVENTSTORE_URL: text,
  EVENTSTORE_CA: text,
  CA_FILE: text,
  TEMPORAL_ADDRESS: pattern(/^[^\s:/]+:\d+$/, 'a host and a port such as localhost:7233'),
  TEMPORAL_NAMESPACE: z._default(z.string(), 'default'),
  TEMPORAL_TLS: text,
  TEMPORAL_API_KEY: text,
  DRAIN_MS: z._default(whole(0, 60_000), 0),
  SESSION_SECRET: z.optional(atLeast(32)),
  ENCRYPTION_KEY: pattern(/^[0-9a-f]{64}$/i, '64 hexadecimal digits'),
  SMTP_URL: z.optional(
    z
      .string()
      .check(
        z.refine(
          (url) => /^smtps?:\/\/\S+$/.test(url) && URL.canParse(url),
          'an address such as smtp://user:password@host:587, in which other characters of a password are encoded, such as %23 for #',
        ),
      ),
  ),
  MAIL_FROM: pattern(/^[^\s@]+(?: [^\s@]+)*@[^\s@]+$/, 'an address such as Kinora <hello@kinora.example>'),
  GOOGLE_CLIENT_ID: text,
  GOOGLE_CLIENT_SECRET: text,
  GITHUB_CLIENT_ID: text,
  GITHUB_CLIENT_SECRET: text,
  GITHUB_URL: z._default(service, 'https://github.com'),
  OIDC_ISSUER: z.optional(service),
  OIDC_CLIENT_ID: text,
  OIDC_CLIENT_SECRET: text,
  OIDC_NAME: z.optional(atMost(40)),
  OIDC_LOGO: text,
  OIDC_EMAIL_VERIFIED: z._default(oneOf('claim', 'always', 'never'), 'claim'),
  SIGN_UP_DOMAINS: z.optional(mailDomains),
  TRUSTED_PROXIES: z._default(whole(0, 10), 0),
  SESSION_RATE: z._default(rate, 40),
  NETWORK_RATE: z.optional(rate),
  SUPPORT_EMAIL: text,
  WEBHOOK_PRIVATE_HOSTS: z.optional(hosts),
  FFMPEG_PATH: text,
  C2PA_CERTIFICATE_FILE: text,
  C2PA_KEY_FILE: text,
  AIGC_PRODUCER: z._default(atMost(100), 'Kinora'),
  VIDEO_LABEL: z._default(oneOf('auto', 'always', 'never'), 'auto'),
  DEMO: z._default(oneOf('auto', 'on', 'off'), 'auto'),
  MINIMAX_API_KEY: text,
  MINIMAX_BASE_URL: z._default(service, 'https://api.minimax.io'),
  MINIMAX_CREATES_PER_MINUTE: z._default(whole(1, 10_000), 20),
  VIDEOS_API_URL: z.optional(service),
  VIDEOS_API_KEY: text,
  VIDEOS_API_MODEL: text,
  COMFYUI_URL: z.optional(service),
  // ComfyUI refuses calls with an Origin header.
  COMFYUI_HEADER: pattern(/^(?!origin:)[\w-]+: ?\S.*$/i, 'a header such as Authorization: Basic dXNlcjpwYXNz'),
  FAL_KEY: text,
  REPLICATE_API_TOKEN: text,
  ARK_API_KEY: text,
  RUNWAYML_API_SECRET: text,
  PAYMENTS: pattern(
    /^(off|sandbox|stripe|paypal|stripe, *paypal|paypal, *stripe)$/,
    'stripe, paypal, both with a comma between, sandbox or off',
  ),
  PLAN_OFFERS: z.optional(offers),
  MONTHLY_CREDITS: z._default(whole(0, 1_000_000), 0),
  PAYPAL_CLIENT_ID: text,
  PAYPAL_CLIENT_SECRET: text,
  PAYPAL_BASE_URL: z._default(service, 'https://api-m.paypal.com'),
  PAYPAL_WEBHOOK_ID: text,
  PAYPAL_PLAN_STANDARD: text,
  PAYPAL_PLAN_PRO: text,
  PAYPAL_PLAN_ULTIMATE: text,
  STRIPE_SECRET_KEY: text,
  STRIPE_WEBHOOK_SECRET: text,
  STRIPE_BASE_URL: z._default(service, 'https://api.stripe.com'),
  SELLER_NAME: text,
  SELLER_ADDRESS: text,
  SELLER_VAT_ID: pattern(/^[A-Z]{2}[0-9A-Z]{2,13}$/, 'a VAT id such as DE123456789'),
  TAX_RATE: z._default(
    z.pipe(
      z.string().check(z.refine((rate) => /^\d{1,2}(\.\d{1,2})?$/.test(rate), 'a percentage such as 19 or 7.7')),
      z.transform(Number),
    ),
    0,
  ),
  REVERSE_CHARGE: z._default(oneOf('on', 'off'), 'off'),
  INVOICE_SERIES: z._default(
    z.string().check(z.regex(/^[A-Z0-9]{1,10}$/, 'up to ten capital letters and digits')),
    'K',
  ),
  INVOICE_YEARS: z._default(whole(1, 50), 10),
  S3_ENDPOINT: z.optional(service),
  S3_BUCKET: text,
  S3_ACCESS_KEY_ID: text,
  S3_SECRET_ACCESS_KEY: text,
  S3_REGION: z._default(z.string(), 'us-east-1'),
  HEADS_TO: text,
  HEADS_OUTSIDE: text,
  BACKUP_TO: text,
  BACKUP_KEEP_DAYS: z._default(whole(1, 3_650), 35),
  AUDIT_KEY_FILE: text,
  OPERATOR_USERNAME: z._default(atMost(128), 'operator'),
  OPERATOR_PASSWORD: z.optional(atMost(256)),
  OPERATOR_TIME_ZONE: z._default(
    z.string().check(z.refine(isTimeZone, 'an IANA time zone such as Europe/Berlin')),
    'UTC',
  ),
  DESK_SECOND_OPERATOR_ABOVE: z.optional(whole(0, 1_000_000_000)),
  TEAM_SEATS: z._default(whole(0, 1_000), 5),
  ALERT_MAIL: z.optional(z.email('an address such as admin@kinora.example')),
  ALERT_WEBHOOK: z.optional(service),
  METRICS_TOKEN: z.optional(atLeast(16)),
  // OpenTelemetry's SDK reads further standard variables, and the last three, from the environment itself.
  OTEL_SDK_DISABLED: z._default(oneOf('true', 'false'), 'false'),
  OTEL_SERVICE_NAME: z._default(z.string(), 'kinora'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(service),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.optional(service),
  OTEL_EXPORTER_OTLP_HEADERS: pattern(
    /^\s*[^\s=,]+=[^\s,]*(,\s*[^\s=,]+=[^\s,]*)*\s*$/,
    'headers such as api-key=secret,tenant=7',
  ),
  LOG_LEVEL: z.optional(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
  OTEL_RESOURCE_ATTRIBUTES: text,
  OTEL_TRACES_SAMPLER: z.optional(
    oneOf(
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: text,
})

export type Environment = z.infer<typeof Environment>

/** Every environment variable that Kinora reads. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape)

/** Settings of Stripe that belong together. */
export const STRIPE = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const

/** Settings of PayPal that belong together. */
export const PAYPAL = [
  'PAYPAL_CLIENT_ID',
  'PAYPAL_CLIENT_SECRET',
  'PAYPAL_WEBHOOK_ID',
  'PAYPAL_PLAN_STANDARD',
  'PAYPAL_PLAN_PRO',
  'PAYPAL_PLAN_ULTIMATE',
] as const

export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Parses the environment; a blank variable counts as unset. @throws ConfigError naming each invalid variable */
export function parseEnvironment(env: NodeJS.ProcessEnv): Environment {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim() !== ''))
  const parsed = z.safeParse(Environment, set)
  if (parsed.success) return parsed.data
  throw new ConfigError(
    parsed.error.issues.map((issue) => `${issue.path.join('.')}: must be ${issue.message}`).join('\n'),
  )
}

/**
 * Checks that variables that belong together are all set or all unset.
 * @returns whether they are set
 * @throws ConfigError naming each missing variable when only some are set
 */
export function isComplete<Env extends Environment, Name extends keyof Environment>(
  env: Env,
  names: readonly Name[],
  family: string,
): env is Env & { readonly [Key in Name]-?: NonNullable<Environment[Key]> } {
  const missing = names.filter((name) => env[name] === undefined)
  if (missing.length > 0 && missing.length < names.length)
    throw new ConfigError(missing.map((name) => `${name}: not set, while others of ${family} are`).join('\n'))
  return missing.length === 0
}
