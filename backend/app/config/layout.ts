import { isDatabaseUrl, NO_DATABASE_URL } from '../../kernel/postgres/databaseUrl.ts'
import { ConfigError, type Environment, ROLES, type Role } from './environment.ts'
import { eventStoreFaults } from './eventStoreConfig.ts'
import { temporalFaults } from './temporalConfig.ts'

/** Parses `ROLES`. @throws ConfigError naming each unknown role */
export function parseRoles(text: string): Role[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const unknown = names.filter((name) => !ROLES.includes(name as Role))
  if (unknown.length > 0) throw new ConfigError(`ROLES: "${unknown.join(', ')}" is none of ${ROLES.join(', ')}`)
  return names as Role[]
}

/** Settings that every process of a split deployment must share, and what breaks without them. */
const SHARED = {
  DATABASE_URL: 'the other roles would look for their rows in another database',
  PUBLIC_URL: 'links in mails and payments would lead to this process alone',
  SESSION_SECRET: 'each process would make its own, and sessions would be invalid in the others',
  ENCRYPTION_KEY: 'each process would make its own, and could not read what the others wrote',
} as const

/** Checks that processes with this configuration can work together. @throws ConfigError listing every problem */
export function checkLayout(env: Environment, roles: readonly Role[]): void {
  const isSplit = roles.length < ROLES.length
  const faults = isSplit
    ? Object.entries(SHARED)
        .filter(([name]) => env[name as keyof typeof SHARED] === undefined)
        .map(([name, why]) => `${name} is not set, while ROLES leaves work to other processes: ${why}`)
    : []
  // Without a bucket the processes share DATA_DIR, where the first one stores the password.
  if (isSplit && roles.includes('api') && env.S3_BUCKET && !env.OPERATOR_PASSWORD)
    faults.push('OPERATOR_PASSWORD is not set: each process with the API would make its own')
  if (env.DATABASE_URL && !isDatabaseUrl(env.DATABASE_URL)) faults.push(`DATABASE_URL ${NO_DATABASE_URL}`)
  if (env.PORT > 0 && env.HEALTH_PORT === env.PORT) faults.push(`HEALTH_PORT and PORT are both ${env.PORT}`)
  faults.push(...eventStoreFaults(env), ...temporalFaults(env))
  refuse('This layout would not work', faults)
}

/** Throws unless `faults` is empty. @throws ConfigError listing the faults */
export function refuse(headline: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(`${headline}:\n- ${faults.join('\n- ')}`)
}
