import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Database } from '../database/orm.ts'
import { Rejection } from '../eventsourcing/decider.ts'
import { uuid7 } from '../eventsourcing/uuid7.ts'
import type { Language, User } from './contract.ts'
import type { Mailer } from './mailer.ts'
import { linkMail } from './mails.ts'
import { createMailTokens } from './mailTokens.ts'
import { hashPassword, passwordMatches } from './passwords.ts'
import { type UserAccount, UserTable } from './tables.ts'

const VERIFICATION_LIFE_MS = 24 * 3600 * 1000
const RESET_LIFE_MS = 3600 * 1000

export interface Registration {
  readonly email: string
  readonly password: string
  readonly username: string
  readonly language: Language
}

export interface AccountsOptions {
  readonly database: Database
  readonly mailer: Mailer
  readonly publicUrl: () => string
  /** Grants the free credits; asked again, it grants nothing more. */
  readonly welcome: (userId: string) => Promise<void>
  readonly endSessions: (userId: string) => Promise<void>
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

/** Who uses Kinora: registration, verification and the password check. */
export function createAccounts({ database, mailer, publicUrl, welcome, endSessions, now = Date.now }: AccountsOptions) {
  const tokens = createMailTokens(database, now)
  // A password is checked even where no account exists, so that both answers take the same time.
  const nobody = hashPassword('no account has this password')

  const byEmail = (email: string) => database.em.fork().findOne(UserTable, { email })

  const sendVerification = async (account: Pick<UserAccount, 'id' | 'email' | 'fullName' | 'language'>) => {
    const token = await tokens.issue(account.id, 'verify', VERIFICATION_LIFE_MS)
    const link = `${publicUrl()}/verify-email?${new URLSearchParams({ token, email: account.email })}`
    await mailer.send(linkMail('verification', account, link))
  }

  return {
    byId: (id: string) => database.em.fork().findOne(UserTable, { id }),

    /** Opens an account, or replaces one whose address was never verified. @throws Rejection email_already_registered */
    async register({ email, password, username, language }: Registration): Promise<void> {
      const taken = new Rejection('email_already_registered', 'This email is already registered.')
      const passwordHash = await hashPassword(password)
      const em = database.em.fork()
      const known = await em.findOne(UserTable, { email })
      const fields = { fullName: username, language, passwordHash }
      if (known) {
        // Decided by the database: the owner may be verifying the address at this very moment.
        const replaced = await em.nativeUpdate(UserTable, { id: known.id, emailVerifiedAt: null }, fields)
        if (replaced === 0) throw taken
        await sendVerification({ id: known.id, email, ...fields })
        return
      }
      const account = em.create(UserTable, {
        id: uuid7(now()),
        email,
        emailVerifiedAt: null,
        createdAt: new Date(now()),
        ...fields,
      })
      try {
        await em.flush()
      } catch (error) {
        if (error instanceof UniqueConstraintViolationException) throw taken
        throw error
      }
      await sendVerification(account)
    },

    /** Mails a new link where one is wanted; says nothing of whether the address is known. */
    async resendVerification(email: string): Promise<void> {
      const account = await byEmail(email)
      if (account && !account.emailVerifiedAt) await sendVerification(account)
    },

    /** The credits come first: should we stop in between, the link still works and grants nothing more. */
    async verifyEmail(token: string): Promise<void> {
      const userId = await tokens.owner(token, 'verify')
      if (!userId) throw new Rejection('token_invalid', 'Verification link has expired or is invalid.')
      await welcome(userId)
      await database.em
        .fork()
        .nativeUpdate(UserTable, { id: userId, emailVerifiedAt: null }, { emailVerifiedAt: new Date(now()) })
      await tokens.spend(token)
    },

    /** Mails a link that sets a new password, where there is an account. */
    async forgotPassword(email: string): Promise<void> {
      const account = await byEmail(email)
      if (!account?.emailVerifiedAt) return
      const token = await tokens.issue(account.id, 'reset', RESET_LIFE_MS)
      await mailer.send(linkMail('reset', account, `${publicUrl()}/reset-password?${new URLSearchParams({ token })}`))
    },

    /** Sets a new password, ends every session, and mails a notice. @throws Rejection token_invalid */
    async resetPassword(token: string, password: string): Promise<void> {
      const passwordHash = await hashPassword(password)
      const userId = await tokens.owner(token, 'reset')
      if (!userId || !(await tokens.spend(token)))
        throw new Rejection('token_invalid', 'The link has expired or is invalid.')
      await database.em.fork().nativeUpdate(UserTable, { id: userId }, { passwordHash })
      await endSessions(userId)
      const account = await database.em.fork().findOneOrFail(UserTable, { id: userId })
      await mailer.send(linkMail('passwordChanged', account, `${publicUrl()}/auth/forgot-password`))
    },

    async saveLanguage(userId: string, language: Language): Promise<void> {
      await database.em.fork().nativeUpdate(UserTable, { id: userId }, { language })
    },

    /** @throws Rejection invalid_credentials, or email_not_verified after the right password */
    async authenticate(email: string, password: string): Promise<UserAccount> {
      const account = await byEmail(email)
      const right = await passwordMatches(password, account?.passwordHash ?? (await nobody))
      if (!account || !right) throw new Rejection('invalid_credentials', 'Invalid email or password.')
      if (!account.emailVerifiedAt)
        throw new Rejection(
          'email_not_verified',
          'Email not verified. Please check your email and click the verification link.',
        )
      return account
    },
  }
}
