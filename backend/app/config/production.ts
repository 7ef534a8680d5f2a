import { isLoopback } from '../../kernel/isLoopback.ts'
import { engineFaults } from './engines.ts'
import { type Environment, ROLES, VARIABLES } from './environment.ts'
import { parseRoles } from './layout.ts'
import { paymentFaults } from './paymentsConfig.ts'
import { signInFaults } from './signInConfig.ts'

/** Secrets that hosts sharing a database must share too. A single host makes and keeps its own. */
const SHARED_SECRETS = ['SESSION_SECRET', 'ENCRYPTION_KEY', 'OPERATOR_PASSWORD'] as const
/** Prefix of the secrets that docker-compose.yml ships for development. */
const PUBLISHED_SECRET = 'development-only'
/** Minimum number of distinct characters in a secret. A random one of 32 characters has at least 10. */
const DISTINCT = { SESSION_SECRET: 8, ENCRYPTION_KEY: 6, OPERATOR_PASSWORD: 5, METRICS_TOKEN: 5 } as const
const PROVIDERS = ['MINIMAX_BASE_URL', 'PAYPAL_BASE_URL', 'STRIPE_BASE_URL'] as const
const EXAMPLE_DOMAIN = /(^|[@.])example(\.(com|net|org))?$/

/** Returns the reasons why production must not start, a sentence each. */
export function productionFaults(env: Environment, environment: NodeJS.ProcessEnv): string[] {
  return [
    ...(env.PUBLIC_URL ? [] : ['PUBLIC_URL is not set']),
    ...missingSecrets(env).map((name) => `${name} is not set, but hosts that share DATABASE_URL need the same one`),
    ...secretFaults(env),
    ...publicUrlFaults(env),
    ...engineFaults(env, environment),
    ...paymentFaults(env),
    ...signInFaults(env),
    ...PROVIDERS.flatMap((name) => providerFaults(name, env[name])),
    ...(env.SMTP_URL ? mailFaults(new URL(env.SMTP_URL)) : []),
    ...(EXAMPLE_DOMAIN.test(env.SUPPORT_EMAIL ?? '')
      ? [`SUPPORT_EMAIL is ${env.SUPPORT_EMAIL}, an example: set your own address, or leave it out`]
      : []),
    ...misspelt(Object.keys(environment)),
  ]
}

/**
 * A process with all roles may make its secrets, like one without a DATABASE_URL: a second host would make another
 * ENCRYPTION_KEY, and the database, which keeps a fingerprint of the first, refuses it.
 */
function missingSecrets(env: Environment) {
  const missing = SHARED_SECRETS.filter((name) => env[name] === undefined)
  const makesAll = missing.length === SHARED_SECRETS.length && parseRoles(env.ROLES).length === ROLES.length
  return env.DATABASE_URL && !makesAll ? missing : []
}

function secretFaults(env: Environment): string[] {
  const published = (['SESSION_SECRET', 'OPERATOR_PASSWORD'] as const).filter((name) =>
    env[name]?.startsWith(PUBLISHED_SECRET),
  )
  const known: readonly string[] = /^0+$/.test(env.ENCRYPTION_KEY ?? '') ? [...published, 'ENCRYPTION_KEY'] : published
  const trivial = Object.entries(DISTINCT).filter(([name, distinct]) => {
    const secret = env[name as keyof typeof DISTINCT]
    return secret && !known.includes(name) && new Set(secret).size < distinct
  })
  return [
    ...known.map((name) => `${name}: the value in docker-compose.yml is public`),
    ...trivial.map(([name, distinct]) => `${name} has fewer than ${distinct} different characters: use a random value`),
    ...(env.OPERATOR_PASSWORD && env.OPERATOR_PASSWORD.length < 12
      ? ['OPERATOR_PASSWORD has fewer than 12 characters']
      : []),
  ]
}

function publicUrlFaults({ PUBLIC_URL }: Environment): string[] {
  if (!PUBLIC_URL) return []
  const { protocol, hostname, username, password } = new URL(PUBLIC_URL)
  return [
    ...(protocol === 'https:' ? [] : ['PUBLIC_URL is not https: cookies would be insecure']),
    ...(username || password ? ['PUBLIC_URL contains a user name or password, which every page would show'] : []),
    ...(isLoopback(hostname) ? [`PUBLIC_URL is ${hostname}, which no other machine can open`] : []),
  ]
}

function providerFaults(name: (typeof PROVIDERS)[number], address: string): string[] {
  const { protocol, hostname } = new URL(address)
  return [
    ...(/(^|[.-])sandbox\./.test(hostname) ? [`${name} is a sandbox, which delivers nothing real`] : []),
    ...(protocol === 'https:' || isLoopback(hostname)
      ? []
      : [`${name} is not https: keys would be readable on the way`]),
  ]
}

const mailFaults = ({ hostname, searchParams }: URL) =>
  searchParams.has('ignoreTLS') && !isLoopback(hostname) ? ['SMTP_URL says ignoreTLS: mails would be readable'] : []

/** Short names are left out: many words differ from `HOST` or `PORT` by one letter. */
const MIN_LENGTH = 6

const misspelt = (given: readonly string[]) =>
  given
    .filter((name) => name.length >= MIN_LENGTH && !isKnown(name))
    .flatMap((name) => {
      const meant = VARIABLES.find((known) => known.length >= MIN_LENGTH && differByOne(name, known))
      return meant ? [`${name} is not a setting of Kinora: did you mean ${meant}?`] : []
    })

const isKnown = (name: string) => [name, name.replace(/_FILE$/, '')].some((each) => VARIABLES.includes(each))

/** Returns whether two texts differ by one inserted, removed, replaced or swapped character. */
function differByOne(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [restOfA, restOfB] = [a.slice(start), b.slice(start)]
  return (
    restOfA.slice(1) === restOfB.slice(1) ||
    restOfA.slice(1) === restOfB ||
    restOfA === restOfB.slice(1) ||
    (restOfA[0] === restOfB[1] && restOfA[1] === restOfB[0] && restOfA.slice(2) === restOfB.slice(2))
  )
}
