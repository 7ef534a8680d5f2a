import type { Logger } from 'pino'
import type { Database } from '../kernel/postgres/orm.ts'
import { createAccountPasswords } from './accountPasswords.ts'
import { createAccounts } from './accounts.ts'
import { createBackground } from './background.ts'
import { createFreeGrants } from './freeGrants.ts'
import { FREE_GRANTS, formerKeys } from './keys/keyRing.ts'
import { keyFor } from './keys/seal.ts'
import { createMailTokens } from './mails/mailTokens.ts'
import type { Outbox } from './mails/outbox.ts'
import { createCookies } from './sessions/cookies.ts'
import { createKnownDevices } from './sessions/knownDevices.ts'
import { limitsOf } from './sessions/limits.ts'
import { createSessions } from './sessions/sessions.ts'
import { createThrottle } from './sessions/throttle.ts'

interface Around {
  readonly config: {
    readonly production: boolean
    readonly secrets: { readonly session: string; readonly encryption: string }
  }
  readonly database: Database
  readonly outbox: Outbox
  readonly credits: { grantFreeCredits(userId: string, amount: number): Promise<void> }
  readonly log: Logger
  readonly now: () => number
  /** When accounts are opened and verified. */
  readonly calendar: () => number
}

/** The parts of accounts, put together. Sessions and limits keep real time, whatever `now` says. */
export function accountPorts(ports: Around, publicUrl: () => string, freeCredits: number) {
  const { config, database, outbox, credits, log, now, calendar } = ports
  const { production, secrets } = config
  const tokens = createMailTokens(database, now)
  const key = (purpose: string) => keyFor(purpose, secrets.encryption)
  return {
    accounts: createAccounts({
      database,
      tokens,
      outbox,
      grants: createFreeGrants(database, key(FREE_GRANTS), formerKeys(database, secrets.encryption, FREE_GRANTS)),
      publicUrl,
      production,
      grantFreeCredits: (userId) => credits.grantFreeCredits(userId, freeCredits),
      now: calendar,
    }),
    passwords: createAccountPasswords({ database, tokens, outbox, publicUrl, now }),
    sessions: createSessions(database, secrets.session),
    cookies: createCookies(publicUrl().startsWith('https://')),
    devices: createKnownDevices(key('known devices')),
    throttle: createThrottle(database, key('throttle')),
    limits: limitsOf(production),
    background: createBackground((error) => log.error({ err: error }, 'work behind an answer failed')),
  }
}
