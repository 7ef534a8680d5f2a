import type { EntityManager } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar, Clock } from '../kernel/time.ts'
import { createAccountPasswords } from './accountPasswords.ts'
import { createAccounts } from './accounts.ts'
import { createBackground } from './background.ts'
import { createConfirmations } from './confirmations.ts'
import type { Erasures } from './erasures.ts'
import { createChallenges } from './factors/challenges.ts'
import { createFactorNotices } from './factors/factorNotices.ts'
import { createPasskeys } from './factors/passkeys.ts'
import { createSecondFactors } from './factors/secondFactors.ts'
import { createTickets } from './factors/tickets.ts'
import { createFreeGrants } from './freeGrants.ts'
import { createFlows, FLOWS } from './identities/flows.ts'
import { createIdentities } from './identities/identities.ts'
import type { IdentityProvider } from './identities/identityProvider.port.ts'
import { keyFor } from './keys/seal.ts'
import type { UserKeys } from './keys/userKeys.ts'
import { createMailedLinks } from './mails/mailedLinks.ts'
import type { Outbox } from './mails/outbox.ts'
import { createNewDevices } from './security/newDevices.ts'
import { createSecurityLog } from './security/securityLog.ts'
import { createBrowserSessions } from './sessions/browserSessions.ts'
import { createCookies } from './sessions/cookies.ts'
import { createAttempts } from './sessions/limits.ts'
import { createSessions } from './sessions/sessions.ts'
import { createThrottle } from './sessions/throttle.ts'
import { createStartDrafts, startKey } from './start/startDrafts.ts'
import { createStartLinks } from './start/startLinks.ts'
import { isSuspended } from './suspensions.ts'

interface AccountServicesOptions {
  readonly production: boolean
  /** Whether visitors may register, and mails reach them. */
  readonly registrationOpen: boolean
  readonly secrets: { readonly session: string; readonly encryption: string }
  readonly publicUrl: () => string
  readonly database: Database
  readonly outbox: Outbox
  readonly userKeys: Pick<UserKeys, 'encrypt' | 'tryDecrypt'>
  readonly erasures: Erasures
  /** Where people may sign in with the accounts that they have there. */
  readonly identityProviders: readonly IdentityProvider[]
  /** Mail domains whose owners may sign up through a provider although registration is closed. */
  readonly signUpDomains: readonly string[]
  /** Refuses new accounts while operators pause them. @throws Rejection registration_paused */
  readonly assertMayRegister: () => Promise<void>
  readonly grantFreeCredits: (userId: string) => Promise<void>
  /** Stops what operators have planned for an account, and takes out of its team who came after a time. */
  readonly stopOthers: (userId: string, after: Date) => Promise<void>
  /** Ends the API keys, connections and webhooks that are younger than a time, in the caller's transaction. */
  readonly endPrograms: (tx: EntityManager, userId: string, after: Date) => Promise<unknown>
  readonly log: Logger
  /** Clock for the expiry of emailed links. Sessions and rate limits always use the system time. */
  readonly clock: Clock
  /** Clock for registration and verification timestamps. */
  readonly calendar: Calendar
}

export type AccountServices = ReturnType<typeof createAccountServices>

export function createAccountServices({ database, outbox, publicUrl, production, ...options }: AccountServicesOptions) {
  const { secrets, erasures, grantFreeCredits, log, clock, calendar, userKeys } = options
  const background = createBackground((error) => log.error({ err: error }, 'background work failed'))
  const cookies = createCookies(publicUrl().startsWith('https://'))
  const throttle = createThrottle(database, keyFor('throttle', secrets.encryption))
  const links = createMailedLinks(database, outbox, publicUrl, clock)
  const grants = createFreeGrants(database, secrets.encryption, grantFreeCredits)
  const securityLog = createSecurityLog(database)
  const shared = { database, links, background, grants }
  const passwords = createAccountPasswords({
    ...{ ...shared, outbox, publicUrl, now: clock },
    stopOthers: options.stopOthers,
    endPrograms: options.endPrograms,
  })
  const sessions = createBrowserSessions(
    createSessions(database, secrets.session),
    cookies,
    keyFor('known devices', secrets.encryption),
  )
  const attempts = createAttempts(throttle, securityLog, background.run, production)
  const challenges = createChallenges(database, keyFor('passkey challenges', secrets.encryption), cookies)
  const passkeys = createPasskeys(database, challenges, publicUrl)
  const factors = createSecondFactors({ database, passkeys, userKeys })
  const notifyFactor = createFactorNotices(database, links, clock)
  const { registrationOpen, assertMayRegister, signUpDomains: domains } = options
  const drafts = createStartDrafts(database, startKey(secrets.encryption), Date.now)
  return {
    registrationOpen,
    /** What {@link createInvitations} needs. */
    invitable: { database, links, grants },
    assertMayRegister,
    isSuspended: (userId: string) => isSuspended(database, userId),
    accounts: {
      ...createAccounts({ ...shared, production, calendar }),
      erase: erasures.request,
    },
    identities: createIdentities({ ...shared, production, calendar, registrationOpen, assertMayRegister, domains }),
    identityProviders: options.identityProviders,
    flows: createFlows(database, keyFor(FLOWS, secrets.encryption), cookies),
    notifyFactor,
    publicUrl,
    log,
    drafts,
    startLinks: createStartLinks({ ...shared, production, calendar, outbox, drafts, publicUrl, assertMayRegister }),
    passwords,
    sessions,
    attempts,
    factors,
    tickets: createTickets(keyFor('second factor tickets', secrets.encryption)),
    confirmations: createConfirmations({
      passwords,
      sessions,
      attempts,
      securityLog,
      factors,
      notifyFactor,
      mailsLinks: registrationOpen,
    }),
    securityLog,
    newDevices: createNewDevices(database, links, securityLog, clock),
    throttle,
    cookies,
    /** Starts work that the answer to a request does not wait for, so that its time reveals nothing about it. */
    inBackground: background.run,
    /** Resolves when background work has finished. */
    settled: background.settled,
  }
}
