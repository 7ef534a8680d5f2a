import path from 'node:path'
import type { InvoiceSettings } from '../../invoices/contents.ts'
import type { ClientRates } from '../../kernel/http/fairness/fairAdmission.ts'
import { isLoopback } from '../../kernel/isLoopback.ts'
import type { Credential } from '../../kernel/media/marks/credential.ts'
import { trimEnd } from '../../kernel/trimEnd.ts'
import type { S3Access } from '../../providers/storage/s3MediaStore.ts'
import { missingEngine, usesDemo } from './engines.ts'
import { ConfigError, type Environment, parseEnvironment, type Role } from './environment.ts'
import type { EventStoreConfig } from './eventStoreConfig.ts'
import { readInvoices } from './invoicesConfig.ts'
import { checkLayout, parseRoles, refuse } from './layout.ts'
import { readCredential } from './marksConfig.ts'
import { type PaymentsConfig, readPayments } from './paymentsConfig.ts'
import { productionFaults } from './production.ts'
import { readOperator, readSecrets } from './secrets.ts'
import { withFiles } from './settingFiles.ts'
import { readSignIn, type SignInConfig } from './signInConfig.ts'
import { bucketOf, type FilePlace, type OutsidePlace, readOutside, readPlace } from './storageConfig.ts'
import { readTelemetry, type TelemetryConfig } from './telemetryConfig.ts'
import { readTemporal, type TemporalConfig } from './temporalConfig.ts'
import { readVideo, type VideoConfig } from './videoConfig.ts'

/**
 * Configuration from the environment. A service that is not configured is undefined and replaced by an embedded one.
 */
export interface Config {
  readonly production: boolean
  /** Where traces are sent; undefined: nowhere. */
  readonly telemetry: TelemetryConfig | undefined
  /** Absolute path of the folder for the embedded database, media and generated secrets. */
  readonly dataDir: string
  readonly roles: readonly Role[]
  readonly logLevel: string
  readonly secrets: Readonly<ReturnType<typeof readSecrets>>
  readonly http: {
    readonly port: number
    readonly host: string
    /** Port of the health endpoints and metrics; if undefined, `port` serves them too. */
    readonly healthPort: number | undefined
    /** Without a trailing slash. If undefined, derived from the port once it is bound. */
    readonly publicUrl: string | undefined
    /** Number of reverse proxies whose X-Forwarded-For entries are trusted. */
    readonly trustedProxies: number
    /** Work that one process admits in a second. */
    readonly rates: ClientRates
    /** Time for which a stopping process keeps serving while `/readyz` returns 503, ms. */
    readonly drainMs: number
    /** Bearer token of `/metrics`, which production does not serve without one. */
    readonly metricsToken: string | undefined
    /** Contact address that the site shows; empty if there is none. */
    readonly supportEmail: string
  }
  /** If undefined, an embedded PostgreSQL is used. */
  readonly database: { readonly url: string } | undefined
  /** If undefined, events are stored in PostgreSQL. */
  readonly eventStore: EventStoreConfig | undefined
  /** If undefined, the embedded workflow engine is used. */
  readonly temporal: TemporalConfig | undefined
  readonly video: VideoConfig & {
    /** Whether the demo renderer makes videos. */
    readonly demo: boolean
    /** Whether it makes none any more once an engine is connected on the board. */
    readonly demoYields: boolean
  }
  /** How generated files are marked. */
  readonly marks: {
    /** Certificate that signs content credentials; if undefined, the installation's own. */
    readonly credential: Credential | undefined
    /** Name or code of the operator in the `AIGC` field. */
    readonly producer: string
    /** Which downloads have a visible label; `auto` means those of accounts whose language is Chinese. */
    readonly label: Environment['VIDEO_LABEL']
  }
  readonly payments: PaymentsConfig
  readonly invoices: InvoiceSettings
  /** Whether visitors may register. In production this needs a mail server; without one, operators invite users. */
  readonly registration: 'open' | 'closed'
  /** Where people may sign in with accounts that they have elsewhere. */
  readonly signIn: SignInConfig
  /** If undefined, emails are kept for `/dev/mailbox`; production sends none. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  /** If undefined, media files are stored in `dataDir`. */
  readonly storage: S3Access | undefined
  /** Path of the Ed25519 key that signs heads; if undefined, one is generated in `dataDir`. */
  readonly auditKeyFile: string | undefined
  /** Where the heads of the ledger are written. */
  readonly headsTo: FilePlace
  /** Places outside that also take the checkpoint of each head. */
  readonly headsOutside: readonly OutsidePlace[]
  /** Where nightly copies are written, and the number of days for which one is kept; undefined: nowhere. */
  readonly backup: { readonly to: FilePlace; readonly keepDays: number } | undefined
  /** Hosts of private networks that addresses of strangers may name. */
  readonly privateHosts: readonly string[]
  readonly operators: Readonly<ReturnType<typeof readOperator>>
  readonly desk: {
    /** Credits, or units of a currency, above which a second operator must approve an action; undefined: never. */
    readonly secondOperatorAbove: number | undefined
  }
  /** Seats of a team, the owner's among them; below 2, there are no teams. */
  readonly teamSeats: number
  /** Where the operator is notified of alerts: an address and a web address; undefined: on the board only. */
  readonly alerts: { readonly mail: string | undefined; readonly webhook: string | undefined }
}

/**
 * Reads the environment.
 * @param makesSecrets whether missing secrets are made now, or at their first use
 * @throws ConfigError naming each variable that is invalid or missing
 */
export function readConfig(given: NodeJS.ProcessEnv, makesSecrets = true): Config {
  const environment = withFiles(given)
  const env = parseEnvironment(environment)
  const production = env.NODE_ENV === 'production'
  const roles = parseRoles(env.ROLES)
  if (production) refuse('Production mode refuses to start', productionFaults(env, environment))
  else refuse('Development mode refuses to start', [...openDevelopmentFaults(env), ...missingEngine(env, environment)])
  checkLayout(env, roles)
  if ((env.SMTP_URL === undefined) !== (env.MAIL_FROM === undefined))
    throw new ConfigError('SMTP_URL and MAIL_FROM belong together: set both, or none')
  if (production && env.ALERT_MAIL !== undefined && env.SMTP_URL === undefined)
    throw new ConfigError('ALERT_MAIL needs a mail server: set SMTP_URL and MAIL_FROM')
  const dataDir = path.resolve(env.DATA_DIR)
  const secrets = readSecrets(env, dataDir)
  if (makesSecrets) void [secrets.session, secrets.encryption]
  return {
    production,
    telemetry: readTelemetry(env),
    dataDir,
    roles,
    logLevel: env.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    secrets,
    http: {
      port: env.PORT,
      host: env.HOST,
      healthPort: env.HEALTH_PORT,
      publicUrl: env.PUBLIC_URL && trimEnd(env.PUBLIC_URL, '/'),
      trustedProxies: env.TRUSTED_PROXIES,
      // Outside production, all users share one address.
      rates: { session: env.SESSION_RATE, network: env.NETWORK_RATE ?? (production ? 40 : 800) },
      drainMs: env.DRAIN_MS,
      metricsToken: env.METRICS_TOKEN,
      supportEmail: env.SUPPORT_EMAIL ?? (production ? '' : EXAMPLE_SUPPORT_EMAIL),
    },
    database: env.DATABASE_URL ? { url: env.DATABASE_URL } : undefined,
    eventStore: env.EVENTSTORE_URL ? { url: env.EVENTSTORE_URL, ca: env.EVENTSTORE_CA } : undefined,
    temporal: readTemporal(env),
    video: { ...readVideo(env, environment), demo: usesDemo(env, environment), demoYields: env.DEMO === 'auto' },
    marks: { credential: readCredential(env), producer: env.AIGC_PRODUCER, label: env.VIDEO_LABEL },
    payments: readPayments(env),
    invoices: readInvoices(env),
    registration: production && env.SMTP_URL === undefined ? 'closed' : 'open',
    signIn: readSignIn(env),
    mail: env.SMTP_URL && env.MAIL_FROM ? { url: env.SMTP_URL, from: env.MAIL_FROM } : undefined,
    storage: bucketOf(env),
    auditKeyFile: env.AUDIT_KEY_FILE,
    headsTo: readPlace(env, 'HEADS_TO', path.join(dataDir, 'heads')),
    headsOutside: readOutside(env),
    backup: env.BACKUP_TO ? { to: readPlace(env, 'BACKUP_TO'), keepDays: env.BACKUP_KEEP_DAYS } : undefined,
    privateHosts: env.WEBHOOK_PRIVATE_HOSTS ?? [],
    operators: readOperator(env, dataDir),
    desk: { secondOperatorAbove: env.DESK_SECOND_OPERATOR_ABOVE },
    teamSeats: env.TEAM_SEATS,
    alerts: { mail: env.ALERT_MAIL, webhook: env.ALERT_WEBHOOK },
  }
}

const EXAMPLE_SUPPORT_EMAIL = 'support@kinora.example'

/** Development serves emails, payments and the clock to anyone who can connect, so it listens on loopback only. */
function openDevelopmentFaults({ HOST, KINORA_ALLOW_OPEN_DEVELOPMENT }: Environment): string[] {
  if (isLoopback(HOST) || KINORA_ALLOW_OPEN_DEVELOPMENT) return []
  return [
    `HOST is ${HOST}, so other machines could read all emails and move the clock: set NODE_ENV=production, or ` +
      'KINORA_ALLOW_OPEN_DEVELOPMENT=1 if only trusted machines can reach this port',
  ]
}
