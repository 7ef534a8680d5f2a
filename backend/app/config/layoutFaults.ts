import { existsSync } from 'node:fs'

export const ROLES = ['api', 'projections', 'workflows'] as const
export type Role = (typeof ROLES)[number]

interface Layout {
  readonly ROLES: readonly Role[]
  readonly DATABASE_URL?: string | undefined
  readonly EVENTSTORE_URL?: string | undefined
  readonly EVENTSTORE_CA?: string | undefined
  readonly SESSION_SECRET?: string | undefined
  readonly ENCRYPTION_KEY?: string | undefined
  readonly PUBLIC_URL?: string | undefined
  readonly OPERATOR_PASSWORD?: string | undefined
  readonly S3_BUCKET?: string | undefined
}

/** What every process of a split Kinora must be told, because it cannot make it up alone. */
const SHARED = {
  DATABASE_URL: 'the other roles would look for their rows in another database',
  PUBLIC_URL: 'mails and payments would lead to this process alone',
  SESSION_SECRET: 'each process would make one of its own, and sign people out of the others',
  ENCRYPTION_KEY: 'each process would make one of its own, and read nothing that the others wrote',
} as const

/** Why processes laid out like this would not work together, a sentence each; empty when they would. */
export function layoutFaults(env: Layout): string[] {
  const isSplit = ROLES.some((role) => !env.ROLES.includes(role))
  const faults = isSplit
    ? Object.entries(SHARED)
        .filter(([name]) => env[name as keyof typeof SHARED] === undefined)
        .map(([name, why]) => `${name} is not set, while ROLES leaves work to other processes: ${why}`)
    : []
  // With a folder of media they share DATA_DIR, where the first one keeps it.
  if (isSplit && env.ROLES.includes('api') && env.S3_BUCKET && !env.OPERATOR_PASSWORD)
    faults.push('OPERATOR_PASSWORD is not set: each process with the API would make one of its own')
  if (env.DATABASE_URL && !/^postgres(ql)?:\/\//.test(env.DATABASE_URL))
    faults.push('DATABASE_URL is no address such as postgres://user:password@host:5432/kinora')
  if (env.EVENTSTORE_URL && !/^esdb(\+discover)?:\/\//.test(env.EVENTSTORE_URL))
    faults.push('EVENTSTORE_URL is no address such as esdb://user:password@host:2113')
  if (env.EVENTSTORE_CA) {
    if (!env.EVENTSTORE_URL) faults.push('EVENTSTORE_CA is set, but EVENTSTORE_URL is not')
    else if (/[?&]tls=false/i.test(env.EVENTSTORE_URL))
      faults.push('EVENTSTORE_CA is set, but EVENTSTORE_URL says tls=false: nothing would be checked')
    if (!existsSync(env.EVENTSTORE_CA)) faults.push(`EVENTSTORE_CA: there is no file ${env.EVENTSTORE_CA}`)
  }
  return faults
}
