import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type * as z from 'zod/mini'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { queryPrepared } from '../kernel/postgres/query.ts'
import type { Calendar } from '../kernel/time.ts'
import type { Background } from './background.ts'
import type { Language, Registration, User } from './contract.ts'
import type { FreeGrants } from './freeGrants.ts'
import { domainFault, mailIdentity } from './mails/mailAddress.ts'
import type { MailedLinks } from './mails/mailedLinks.ts'
import { hashPassword } from './passwords.ts'
import { type UserAccount, UserTable } from './tables.ts'
import { assertStrong } from './weakness/assertStrong.ts'

export interface AccountsOptions {
  readonly database: Database
  readonly links: MailedLinks
  readonly grants: FreeGrants
  readonly background: Background
  /** Whether to reject reserved domains such as example.com. */
  readonly production: boolean
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

/** Returns a function that finds the account of an id; null if there is none. */
export const findById = (database: Database) => (id: string) => database.em.fork().findOne(UserTable, { id })

/** Returns a function that finds what each video asks of its owner, with a prepared statement and without an entity. */
export const findRecipient = (database: Database) => async (id: string) => {
  const sql = 'select id, email, language from user_account where id = $1'
  const [found] = await queryPrepared<Pick<UserAccount, 'id' | 'email' | 'language'>>(database, sql, [id])
  return found ?? null
}

/** Returns an unverified account, and keeps its owner from verifying the address until the transaction ends. */
const lockPending = (tx: EntityManager, id: string) =>
  tx.findOne(UserTable, { id, emailVerifiedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })

function createRegistrations(options: AccountsOptions) {
  const { database, links, background, production, calendar = Date.now } = options

  return {
    /**
     * Emails a verification link that activates this registration. Registrations of the same address do not replace
     * each other, because their senders have not proved that they own it.
     * @throws Rejection email_already_registered
     * @throws ValidationError if the domain or the password is not accepted
     */
    async register({ email, password, username, language }: z.output<typeof Registration>): Promise<void> {
      const fault = domainFault(email, production)
      if (fault) throw new ValidationError([{ path: 'email', code: fault }])
      await assertStrong(password, { email, username }, 'password')
      const taken = new Rejection('email_already_registered', 'This email is already registered.')
      const passwordHash = await hashPassword(password)
      const existing = await findAccount(database.em.fork(), email)
      const registration = { email, fullName: username, language, passwordHash }
      try {
        await database.em.fork().transactional(async (tx) => {
          const id = existing?.id ?? uuid7(calendar())
          const account = { ...registration, id, identity: mailIdentity(email), createdAt: new Date(calendar()) }
          if (!existing) await tx.insert(UserTable, { ...account, emailVerifiedAt: null })
          else {
            const pending = await lockPending(tx, id)
            if (!pending) throw taken
            if (!pending.hasPassword) await tx.nativeUpdate(UserTable, { id }, { ...registration, hasPassword: true })
          }
          await links.send(tx, 'verify', { id, ...registration }, { query: { email } })
        })
      } catch (error) {
        if (error instanceof UniqueConstraintViolationException) throw taken
        throw error
      }
    },

    /**
     * Emails a new verification link in the background if the address has an unverified account. If it was registered
     * with different passwords, the link lets its reader choose one, because any of them may be a stranger's.
     */
    resendVerification(email: string): void {
      background.run(async () => {
        const account = await findAccount(database.em.fork(), email)
        if (!account) return
        const isOnly = (await links.pendingHashes(account.id)).every((hash) => hash === account.passwordHash)
        await database.em.fork().transactional(async (tx) => {
          if (await lockPending(tx, account.id))
            await links.send(tx, isOnly ? 'verify' : 'choose', account, { query: { email: account.email } })
        })
      })
    },
  }
}

/** Creates the service that registers accounts, verifies their addresses and stores their settings. */
export function createAccounts(options: AccountsOptions) {
  const { database, links, grants, calendar = Date.now } = options

  return {
    byId: findById(database),

    ...createRegistrations(options),

    /**
     * Verifies an address and activates the link's registration. Grants the credits before spending the token: after a
     * crash in between, the link still works, and repeating the grant has no effect.
     * @returns whether free credits were granted
     * @throws Rejection token_invalid
     * @throws Rejection already_verified, for a link that this or another one of the account has made useless
     */
    async verifyEmail(token: string): Promise<boolean> {
      const link = await links.find(token, 'verify')
      const account = link && (await database.em.fork().findOne(UserTable, { id: link.userId }))
      const already = new Rejection('already_verified', 'This email address is already verified. Please sign in.')
      if (!account) {
        if (await links.isVerified(token)) throw already
        throw new Rejection('token_invalid', 'Verification link has expired or is invalid.')
      }
      const granted = await grants.grantOnce(account)
      await database.em.fork().transactional(async (tx) => {
        if (!(await links.spendVerification(tx, account.id, token))) throw already
        const { passwordHash } = link.registration ?? account
        const hasPassword = account.hasPassword || passwordHash !== account.passwordHash
        const activated = { ...link.registration, hasPassword, emailVerifiedAt: new Date(calendar()) }
        await tx.nativeUpdate(UserTable, { id: account.id, emailVerifiedAt: null }, activated)
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
