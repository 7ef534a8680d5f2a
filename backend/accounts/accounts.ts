import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Language, User } from './contract.ts'
import type { FreeGrants } from './freeGrants.ts'
import { composeMail } from './mails/composeMail.ts'
import { domainFault, mailIdentity } from './mails/mailAddress.ts'
import type { MailTokens } from './mails/mailTokens.ts'
import type { Outbox } from './mails/outbox.ts'
import { hashPassword } from './passwords.ts'
import { passwordWeakness } from './passwordWeakness.ts'
import { type UserAccount, UserTable } from './tables.ts'

const VERIFICATION_LIFE_MS = 24 * 3600 * 1000

export interface Registration {
  readonly email: string
  readonly password: string
  readonly username: string
  readonly language: Language
}

export interface AccountsOptions {
  readonly database: Database
  readonly tokens: MailTokens
  readonly outbox: Outbox
  readonly grants: FreeGrants
  readonly publicUrl: () => string
  /** Refuses addresses that stand for no real host. */
  readonly production: boolean
  /** Grants the free credits; asked again, it grants nothing more. */
  readonly grantFreeCredits: (userId: string) => Promise<void>
  readonly now?: () => number
}

export type Accounts = ReturnType<typeof createAccounts>

export const asUser = (account: UserAccount): User => ({
  id: account.id,
  email: account.email,
  username: account.fullName,
  full_name: account.fullName,
  language: account.language,
  created_at: account.createdAt.toISOString(),
})

/** The account of a mailbox, however its address is written. */
export const accountOf = (em: EntityManager, email: string) =>
  em.findOne(UserTable, { $or: [{ identity: mailIdentity(email) }, { email }] })

/** @throws ValidationError the password is one that others would try first */
export function refuseWeak(password: string, owner: { email: string; username: string }, path: string): void {
  const code = passwordWeakness(password, owner)
  if (code) throw new ValidationError([{ path, code }])
}

/** Who uses Kinora: registration, verification, and what is kept of each. */
export function createAccounts(options: AccountsOptions) {
  const { database, tokens, outbox, grants, publicUrl, production, grantFreeCredits, now = Date.now } = options

  const sendVerification = async (
    tx: EntityManager,
    account: Pick<UserAccount, 'id' | 'email' | 'fullName' | 'language'>,
  ) => {
    const token = await tokens.issue(tx, account.id, 'verify', VERIFICATION_LIFE_MS)
    const link = `${publicUrl()}/verify-email?${new URLSearchParams({ token, email: account.email })}`
    await outbox.put(tx, account.id, composeMail('verification', account, link), VERIFICATION_LIFE_MS)
  }

  return {
    byId: (id: string) => database.em.fork().findOne(UserTable, { id }),

    /**
     * Opens an account, or replaces one whose address was never verified.
     * @throws Rejection email_already_registered  @throws ValidationError the domain or the password will not do
     */
    async register({ email, password, username, language }: Registration): Promise<void> {
      const fault = domainFault(email, production)
      if (fault) throw new ValidationError([{ path: 'email', code: fault }])
      refuseWeak(password, { email, username }, 'password')
      const taken = new Rejection('email_already_registered', 'This email is already registered.')
      const passwordHash = await hashPassword(password)
      const em = database.em.fork()
      const known = await accountOf(em, email)
      const fields = { email, identity: mailIdentity(email), fullName: username, language, passwordHash }
      try {
        await em.fork().transactional(async (tx) => {
          const id = known?.id ?? uuid7(now())
          if (!known) await tx.insert(UserTable, { id, emailVerifiedAt: null, createdAt: new Date(now()), ...fields })
          // Decided by the database: the owner may be verifying the address at this very moment.
          else if ((await tx.nativeUpdate(UserTable, { id, emailVerifiedAt: null }, fields)) === 0) throw taken
          await sendVerification(tx, { id, ...fields })
        })
      } catch (error) {
        if (error instanceof UniqueConstraintViolationException) throw taken
        throw error
      }
    },

    /** Mails a new link where one is wanted. */
    async resendVerification(email: string): Promise<void> {
      const account = await accountOf(database.em.fork(), email)
      if (account && !account.emailVerifiedAt)
        await database.em.fork().transactional((tx) => sendVerification(tx, account))
    },

    /**
     * Verifies an address and says whether its mailbox gets the free credits now. They come first: should we stop in
     * between, the link still works and grants nothing more.
     * @throws Rejection token_invalid
     */
    async verifyEmail(token: string): Promise<boolean> {
      const userId = await tokens.owner(token, 'verify')
      const account = userId && (await database.em.fork().findOne(UserTable, { id: userId }))
      if (!account) throw new Rejection('token_invalid', 'Verification link has expired or is invalid.')
      const granted = await grants.claim(account.identity, account.id)
      if (granted) await grantFreeCredits(account.id)
      await database.em.fork().transactional(async (tx) => {
        await tx.nativeUpdate(
          UserTable,
          { id: account.id, emailVerifiedAt: null },
          { emailVerifiedAt: new Date(now()) },
        )
        await tokens.spend(tx, token)
      })
      return granted
    },

    async saveLanguage(userId: string, language: Language): Promise<void> {
      await database.em.fork().nativeUpdate(UserTable, { id: userId }, { language })
    },

    /** @throws Rejection unauthenticated: the account was deleted at this very moment */
    async rename(userId: string, fullName: string): Promise<UserAccount> {
      await database.em.fork().nativeUpdate(UserTable, { id: userId }, { fullName })
      const account = await database.em.fork().findOne(UserTable, { id: userId })
      if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
      return account
    },
  }
}
