import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Clock } from '../kernel/time.ts'
import { type AccountsOptions, assertStrong, findAccount } from './accounts.ts'
import { composeMail } from './mails/composeMail.ts'
import type { Outbox } from './mails/outbox.ts'
import { hashPassword, passwordMatches } from './passwords.ts'
import { endSessions } from './sessions/sessions.ts'
import { type UserAccount, UserTable } from './tables.ts'

const NOTICE_LIFETIME_MS = 7 * 24 * 3600 * 1000

type PasswordsOptions = Pick<AccountsOptions, 'database' | 'links' | 'background'> & {
  readonly outbox: Outbox
  readonly publicUrl: () => string
  readonly now?: Clock
}

export type AccountPasswords = ReturnType<typeof createAccountPasswords>

/** Creates the service that checks, resets and changes passwords. */
export function createAccountPasswords({ outbox, publicUrl, now = Date.now, ...options }: PasswordsOptions) {
  const { database, links, background } = options
  // Compare with this hash if no account exists, so that the response time does not reveal whether one does.
  const unknownHash = hashPassword('no account has this password')

  const isPassword = async (account: UserAccount | null, password: string) =>
    passwordMatches(password, account?.passwordHash ?? (await unknownHash))

  /** Stores a new password, ends sessions, revokes reset links and emails a notice, within the caller's transaction. */
  const replace = async (tx: EntityManager, account: UserAccount, passwordHash: string, keptSession?: string) => {
    await tx.nativeUpdate(UserTable, { id: account.id }, { passwordHash })
    await endSessions(tx, account.id, new Date(now()), keptSession ? { except: keptSession } : {})
    await links.revoke(tx, account.id, 'reset')
    const notice = composeMail('passwordChanged', account, `${publicUrl()}/auth/forgot-password`)
    await outbox.put(tx, account.id, notice, NOTICE_LIFETIME_MS)
  }

  const hashStrong = (password: string, { email, fullName }: UserAccount) => {
    assertStrong(password, { email, username: fullName }, 'new_password')
    return hashPassword(password)
  }

  return {
    /** @throws Rejection invalid_credentials, or email_not_verified if the password is correct */
    async authenticate(email: string, password: string): Promise<UserAccount> {
      const account = await findAccount(database.em.fork(), email)
      const matches = await isPassword(account, password)
      if (!account || !matches) throw new Rejection('invalid_credentials', 'Invalid email or password.')
      if (!account.emailVerifiedAt)
        throw new Rejection(
          'email_not_verified',
          'Email not verified. Please check your email and click the verification link.',
        )
      return account
    },

    /** Checks the signed-in user's password and returns the account. @throws ValidationError wrong_password */
    async confirm(userId: string, password: string, path: string): Promise<UserAccount> {
      const account = await database.em.fork().findOne(UserTable, { id: userId })
      if (!account || !(await isPassword(account, password)))
        throw new ValidationError([{ path, code: 'wrong_password' }])
      return account
    },

    /** Emails a reset link in the background if the address has a verified account. */
    forgot(email: string): void {
      background.run(async () => {
        const account = await findAccount(database.em.fork(), email)
        if (account?.emailVerifiedAt) await database.em.fork().transactional((tx) => links.send(tx, 'reset', account))
      })
    },

    /** Resets the password and ends all sessions. @throws Rejection token_invalid  @throws ValidationError */
    async reset(token: string, password: string): Promise<UserAccount> {
      const userId = await links.owner(token, 'reset')
      const account = userId && (await database.em.fork().findOne(UserTable, { id: userId }))
      const invalid = new Rejection('token_invalid', 'The link has expired or is invalid.')
      if (!account) throw invalid
      const passwordHash = await hashStrong(password, account)
      await database.em.fork().transactional(async (tx) => {
        if (!(await links.spend(tx, token))) throw invalid
        await replace(tx, account, passwordHash)
      })
      return account
    },

    /** Sets a new password and ends all sessions except `keptSession`. @throws ValidationError */
    async change(account: UserAccount, password: string, keptSession: string): Promise<void> {
      const passwordHash = await hashStrong(password, account)
      await database.em.fork().transactional((tx) => replace(tx, account, passwordHash, keptSession))
    },
  }
}
