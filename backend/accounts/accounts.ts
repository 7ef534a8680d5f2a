import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type * as z from 'zod/mini'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar } from '../kernel/time.ts'
import type { Background } from './background.ts'
import type { Language, Registration, User } from './contract.ts'
import type { FreeGrants } from './freeGrants.ts'
import { domainFault, mailIdentity } from './mails/mailAddress.ts'
import type { MailedLinks } from './mails/mailedLinks.ts'
import { hashPassword } from './passwords.ts'
import { passwordWeakness } from './passwordWeakness.ts'
import { type UserAccount, UserTable } from './tables.ts'

export interface AccountsOptions {
  readonly database: Database
  readonly links: MailedLinks
  readonly grants: FreeGrants
  readonly background: Background
  /** Whether to reject reserved domains such as example.com. */
  readonly production: boolean
  /** Grants the free credits, once per user. */
  readonly grantFreeCredits: (userId: string) => Promise<void>
  /** Clock for registration and verification timestamps. */
  readonly calendar?: Calendar
}

export const asUser = (account: UserAccount): User => ({
  id: account.id,
  email: account.email,
  username: account.fullName,
  full_name: account.fullName,
  language: account.language,
  created_at: account.createdAt.toISOString(),
})

/** Returns the account of a mailbox, whichever spelling of its address is given; null if there is none. */
export const findAccount = (em: EntityManager, email: string) =>
  em.findOne(UserTable, { $or: [{ identity: mailIdentity(email) }, { email }] })

/** Rejects weak passwords. @throws ValidationError password_common, password_personal */
export function assertStrong(password: string, owner: { email: string; username: string }, path: string): void {
  const code = passwordWeakness(password, owner)
  if (code) throw new ValidationError([{ path, code }])
}

/** Creates the service that registers accounts, verifies their addresses and stores their settings. */
export function createAccounts(options: AccountsOptions) {
  const { database, links, grants, background, production, calendar = Date.now } = options

  return {
    byId: (id: string) => database.em.fork().findOne(UserTable, { id }),

    /**
     * Registers an account, or replaces one whose address is not verified, and emails a verification link.
     * @throws Rejection email_already_registered
     * @throws ValidationError if the domain or the password is not accepted
     */
    async register({ email, password, username, language }: z.output<typeof Registration>): Promise<void> {
      const fault = domainFault(email, production)
      if (fault) throw new ValidationError([{ path: 'email', code: fault }])
      assertStrong(password, { email, username }, 'password')
      const taken = new Rejection('email_already_registered', 'This email is already registered.')
      const passwordHash = await hashPassword(password)
      const existing = await findAccount(database.em.fork(), email)
      const fields = { email, identity: mailIdentity(email), fullName: username, language, passwordHash }
      try {
        await database.em.fork().transactional(async (tx) => {
          const id = existing?.id ?? uuid7(calendar())
          if (!existing)
            await tx.insert(UserTable, { id, emailVerifiedAt: null, createdAt: new Date(calendar()), ...fields })
          // Check again in the update, because the owner may verify the address concurrently.
          else if ((await tx.nativeUpdate(UserTable, { id, emailVerifiedAt: null }, fields)) === 0) throw taken
          await links.send(tx, 'verify', { id, ...fields }, { email })
        })
      } catch (error) {
        if (error instanceof UniqueConstraintViolationException) throw taken
        throw error
      }
    },

    /** Emails a new verification link in the background if the address has an unverified account. */
    resendVerification(email: string): void {
      background.run(async () => {
        const account = await findAccount(database.em.fork(), email)
        if (account && !account.emailVerifiedAt)
          await database.em.fork().transactional((tx) => links.send(tx, 'verify', account, { email: account.email }))
      })
    },

    /**
     * Verifies an address. Grants the credits before spending the token: after a crash in between, the link still
     * works, and repeating the grant has no effect.
     * @returns whether free credits were granted
     * @throws Rejection token_invalid
     */
    async verifyEmail(token: string): Promise<boolean> {
      const userId = await links.owner(token, 'verify')
      const account = userId && (await database.em.fork().findOne(UserTable, { id: userId }))
      if (!account) throw new Rejection('token_invalid', 'Verification link has expired or is invalid.')
      const granted = await grants.claim(account.identity, account.id)
      if (granted) await options.grantFreeCredits(account.id)
      await database.em.fork().transactional(async (tx) => {
        const emailVerifiedAt = new Date(calendar())
        await tx.nativeUpdate(UserTable, { id: account.id, emailVerifiedAt: null }, { emailVerifiedAt })
        await links.spend(tx, token)
      })
      return granted
    },

    async saveLanguage(userId: string, language: Language): Promise<void> {
      await database.em.fork().nativeUpdate(UserTable, { id: userId }, { language })
    },

    /** @throws Rejection unauthenticated, if the account was deleted concurrently */
    async rename(userId: string, fullName: string): Promise<UserAccount> {
      await database.em.fork().nativeUpdate(UserTable, { id: userId }, { fullName })
      const account = await database.em.fork().findOne(UserTable, { id: userId })
      if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
      return account
    },
  }
}
