import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { accountOf, refuseWeak } from './accounts.ts'
import { composeMail } from './mails/composeMail.ts'
import type { MailTokens } from './mails/mailTokens.ts'
import type { Outbox } from './mails/outbox.ts'
import { hashPassword, passwordMatches } from './passwords.ts'
import { endSessions } from './sessions/sessions.ts'
import { type UserAccount, UserTable } from './tables.ts'

const RESET_LIFE_MS = 3600 * 1000
const NOTICE_LIFE_MS = 7 * 24 * 3600 * 1000

export interface AccountPasswordsOptions {
  readonly database: Database
  readonly tokens: MailTokens
  readonly outbox: Outbox
  readonly publicUrl: () => string
  readonly now?: () => number
}

export type AccountPasswords = ReturnType<typeof createAccountPasswords>

/** The passwords of accounts: checked, forgotten, and changed. */
export function createAccountPasswords({
  database,
  tokens,
  outbox,
  publicUrl,
  now = Date.now,
}: AccountPasswordsOptions) {
  // A password is checked even where no account exists, so that both answers take the same time.
  const nobody = hashPassword('no account has this password')

  const right = async (account: UserAccount | null, password: string) =>
    passwordMatches(password, account?.passwordHash ?? (await nobody))

  /** Keeps a new password, ends sessions, makes other reset links worthless, and mails a notice: all, or nothing. */
  const replace = async (tx: EntityManager, account: UserAccount, passwordHash: string, keptSession?: string) => {
    await tx.nativeUpdate(UserTable, { id: account.id }, { passwordHash })
    await endSessions(tx, account.id, new Date(now()), keptSession ? { but: keptSession } : {})
    await tokens.revoke(tx, account.id, 'reset')
    const notice = composeMail('passwordChanged', account, `${publicUrl()}/auth/forgot-password`)
    await outbox.put(tx, account.id, notice, NOTICE_LIFE_MS)
  }

  return {
    /** @throws Rejection invalid_credentials, or email_not_verified after the right password */
    async authenticate(email: string, password: string): Promise<UserAccount> {
      const account = await accountOf(database.em.fork(), email)
      const matches = await right(account, password)
      if (!account || !matches) throw new Rejection('invalid_credentials', 'Invalid email or password.')
      if (!account.emailVerifiedAt)
        throw new Rejection(
          'email_not_verified',
          'Email not verified. Please check your email and click the verification link.',
        )
      return account
    },

    /** The signed-in user's account, after the password was asked for once more. @throws ValidationError wrong_password */
    async confirm(userId: string, password: string, path: string): Promise<UserAccount> {
      const account = await database.em.fork().findOne(UserTable, { id: userId })
      if (!account || !(await right(account, password))) throw new ValidationError([{ path, code: 'wrong_password' }])
      return account
    },

    /** Mails a link that sets a new password, where there is an account. */
    async forgot(email: string): Promise<void> {
      const account = await accountOf(database.em.fork(), email)
      if (!account?.emailVerifiedAt) return
      await database.em.fork().transactional(async (tx) => {
        const token = await tokens.issue(tx, account.id, 'reset', RESET_LIFE_MS)
        const link = `${publicUrl()}/reset-password?${new URLSearchParams({ token })}`
        await outbox.put(tx, account.id, composeMail('reset', account, link), RESET_LIFE_MS)
      })
    },

    /** Sets a new password by a mailed token; every session ends. @throws Rejection token_invalid  @throws ValidationError weak */
    async reset(token: string, password: string): Promise<UserAccount> {
      const userId = await tokens.owner(token, 'reset')
      const account = userId && (await database.em.fork().findOne(UserTable, { id: userId }))
      const invalid = new Rejection('token_invalid', 'The link has expired or is invalid.')
      if (!account) throw invalid
      refuseWeak(password, { email: account.email, username: account.fullName }, 'new_password')
      const passwordHash = await hashPassword(password)
      await database.em.fork().transactional(async (tx) => {
        if (!(await tokens.spend(tx, token))) throw invalid
        await replace(tx, account, passwordHash)
      })
      return account
    },

    /** Sets a new password for who knows the current one; every other session ends. @throws ValidationError */
    async change(account: UserAccount, password: string, keptSession: string): Promise<void> {
      refuseWeak(password, { email: account.email, username: account.fullName }, 'new_password')
      const passwordHash = await hashPassword(password)
      await database.em.fork().transactional((tx) => replace(tx, account, passwordHash, keptSession))
    },
  }
}
