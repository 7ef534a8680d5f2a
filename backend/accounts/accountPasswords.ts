import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { must } from '../kernel/must.ts'
import { queryPrepared } from '../kernel/postgres/query.ts'
import type { Clock } from '../kernel/time.ts'
import { type AccountsOptions, findAccount, findById } from './accounts.ts'
import type { Language } from './contract.ts'
import { eraseFactors } from './factors/secondFactors.ts'
import { eraseIdentities } from './identities/identities.ts'
import { composeMail } from './mails/composeMail.ts'
import { mailIdentity } from './mails/mailAddress.ts'
import type { Outbox } from './mails/outbox.ts'
import { hashPassword, passwordMatches, unusablePassword } from './passwords.ts'
import { endSessions } from './sessions/sessions.ts'
import { nameIn } from './start/findOrAddAccount.ts'
import { type UserAccount, UserTable } from './tables.ts'
import { assertStrong } from './weakness/assertStrong.ts'

const NOTICE_LIFETIME_MS = 7 * 24 * 3600 * 1000

type PasswordsOptions = Pick<AccountsOptions, 'database' | 'links' | 'background' | 'grants'> & {
  readonly outbox: Outbox
  readonly publicUrl: () => string
  readonly now?: Clock
  /** Stops what operators have planned for an account, and takes out of its team who came after a time. */
  readonly stopOthers?: (userId: string, after: Date) => Promise<void>
  /** Ends the API keys, connections and webhooks that are younger than a time, in the caller's transaction. */
  readonly endPrograms?: (tx: EntityManager, userId: string, after: Date) => Promise<unknown>
}

export type AccountPasswords = ReturnType<typeof createAccountPasswords>

async function hashStrong(password: string, { email, fullName }: UserAccount): Promise<string> {
  await assertStrong(password, { email, username: fullName }, 'new_password')
  return hashPassword(password)
}

/**
 * Creates the function that stores a new password, ends all sessions, revokes reset links and emails a notice, in the
 * caller's transaction. It returns the time of the change.
 * @param confirmed hash of the password that the user has proved to know
 */
function createReplace({ links, outbox, publicUrl, now = Date.now }: PasswordsOptions) {
  return async (tx: EntityManager, account: UserAccount, passwordHash: string, confirmed?: string) => {
    const at = new Date(now())
    const changed = await tx.nativeUpdate(
      UserTable,
      { id: account.id, ...(confirmed !== undefined && { passwordHash: confirmed }) },
      { passwordHash, hasPassword: true, passwordChangedAt: at },
    )
    // A concurrent request deleted the account or changed its password.
    if (changed === 0) throw new Rejection('unauthenticated', 'Please sign in.')
    await endSessions(tx, account.id, at)
    await links.revoke(tx, account.id, 'reset')
    const link = `${publicUrl()}${account.language === 'zh' ? '/zh' : ''}/auth/forgot-password`
    const notice = composeMail('passwordChanged', account, link)
    await outbox.put(tx, account.id, notice, NOTICE_LIFETIME_MS)
    return at
  }
}

/** What a sign-in with an address compares. Of an unknown address, a hash that no password is known for. */
interface Credentials {
  readonly id: string | null
  readonly hash: string
  readonly isVerified: boolean
  readonly passwordChangedAt: Date | null
}

/** Returns one row for every address, so that the time does not reveal whether it has an account. */
const CREDENTIALS = `
  select a.id, coalesce(a.password_hash, $3) as hash, a.email_verified_at is not null as "isVerified",
    a.password_changed_at as "passwordChangedAt"
  from (values (1)) one left join user_account a on a.identity = $1 or a.email = $2 limit 1`

/** Id of no account. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

function createPasswordChecks({ database, links }: PasswordsOptions) {
  const unknownHash = unusablePassword()

  return {
    /** Returns what {@link authenticate} compares a password with. Takes as long if there is no account. */
    async credentials(email: string): Promise<Credentials> {
      const rows = await queryPrepared<Credentials>(database, CREDENTIALS, [mailIdentity(email), email, unknownHash])
      return must(rows[0], 'row')
    },

    /**
     * Compares with the password of the account, or of each pending registration, and takes as long if there are none.
     * @throws Rejection invalid_credentials, or email_not_verified if the password is that of a registration
     */
    async authenticate({ id, hash, isVerified }: Credentials, password: string): Promise<UserAccount> {
      const pending = await links.pendingHashes(id ?? NOBODY)
      const hashes = new Set([hash, ...(isVerified ? [] : pending)])
      const matches = await Promise.all([...hashes].map((one) => passwordMatches(password, one)))
      const account = id && matches.includes(true) ? await findById(database)(id) : null
      if (!account) throw new Rejection('invalid_credentials', 'Invalid email or password.')
      if (!account.emailVerifiedAt)
        throw new Rejection(
          'email_not_verified',
          'Email not verified. Please check your email and click the verification link.',
        )
      // The password may have changed since.
      if (account.passwordHash !== hash) throw new Rejection('invalid_credentials', 'Invalid email or password.')
      return account
    },

    /** Checks the signed-in user's password and returns the account. @throws ValidationError wrong_password */
    async confirm(userId: string, password: string, path: string): Promise<UserAccount> {
      const account = await database.em.fork().findOne(UserTable, { id: userId })
      if (!account) throw new Rejection('unauthenticated', 'This account was deleted.')
      if (!(await passwordMatches(password, account.passwordHash)))
        throw new ValidationError([{ path, code: 'wrong_password' }])
      return account
    },

    /** Returns whether the user knows a password; an account that a mailed link made has none. */
    async isSet(userId: string): Promise<boolean> {
      return (await database.em.fork().findOne(UserTable, { id: userId }))?.hasPassword ?? true
    },
  }
}

function createResets(options: PasswordsOptions, replace: ReturnType<typeof createReplace>) {
  const { database, links, background, grants, now = Date.now } = options

  return {
    /** Emails a reset link in the background if the address has a verified account. */
    forgot(email: string, onSent: (userId: string) => Promise<void>): void {
      background.run(async () => {
        const account = await findAccount(database.em.fork(), email)
        if (!account?.emailVerifiedAt) return
        await database.em.fork().transactional((tx) => links.send(tx, 'reset', account))
        await onSent(account.id)
      })
    },

    /**
     * Resets the password and ends all sessions. Verifies the address, which the user of a mailed link has proved to own.
     * @param language of the page: that of an invited person, who chooses the account's first password
     * @throws Rejection token_invalid  @throws ValidationError
     */
    async reset(token: string, password: string, language?: Language): Promise<UserAccount> {
      const link = await links.find(token, 'reset')
      const found = link && (await database.em.fork().findOne(UserTable, { id: link.userId }))
      const invalid = new Rejection('token_invalid', 'The link has expired or is invalid.')
      if (!found) throw invalid
      // The name of a pending registration may be a stranger's text.
      const own = found.emailVerifiedAt ? found : { ...found, fullName: nameIn(found.email) }
      const isInvited = !found.hasPassword && found.passwordChangedAt === null
      const account = isInvited && language ? { ...own, language } : own
      const passwordHash = await hashStrong(password, account)
      if (!account.emailVerifiedAt) await grants.grantOnce(account)
      await database.em.fork().transactional(async (tx) => {
        if (!(await links.spend(tx, account.id, token))) throw invalid
        const verified = { emailVerifiedAt: new Date(now()), fullName: account.fullName }
        await tx.nativeUpdate(UserTable, { id: account.id, emailVerifiedAt: null }, verified)
        await links.revokeUnverified(tx, account.id)
        if (account.language !== found.language)
          await tx.nativeUpdate(UserTable, { id: account.id }, { language: account.language })
        await replace(tx, account, passwordHash)
      })
      return account
    },
  }
}

/** Creates the service that checks, resets and changes passwords. */
export function createAccountPasswords(options: PasswordsOptions) {
  const { database, links, now = Date.now } = options
  const replace = createReplace(options)

  return {
    ...createPasswordChecks(options),
    ...createResets(options, replace),

    /** Emails a link that confirms the deletion of the account. */
    async mailDeletion(userId: string): Promise<void> {
      const account = await database.em.fork().findOne(UserTable, { id: userId })
      if (account) await database.em.fork().transactional((tx) => links.send(tx, 'delete', account))
    },

    /** Checks a mailed token, which is deleted with the account. @throws Rejection token_invalid */
    async confirmDeletion(userId: string, token: string): Promise<void> {
      const link = await links.find(token, 'delete')
      if (link?.userId !== userId) throw new Rejection('token_invalid', 'The link has expired or is invalid.')
    },

    /**
     * Ends all sessions and disables the password, with the link of a mail about a new device or a changed factor.
     * Uses the valid links of all such mails at once: removes the second factors, recovery codes, connected sign-ins, API
     * keys and webhooks that are younger than the oldest of them. Returns a token that sets a new password. @throws Rejection token_invalid
     */
    async secure(token: string): Promise<{ userId: string; resetToken: string }> {
      const link = await links.find(token, 'secure')
      const account = link && (await database.em.fork().findOne(UserTable, { id: link.userId }))
      const invalid = new Rejection('token_invalid', 'The link has expired or is invalid.')
      if (!account) throw invalid
      // First: a spent link is not opened again.
      await options.stopOthers?.(account.id, link.since)
      const passwordHash = unusablePassword()
      return database.em.fork().transactional(async (tx) => {
        if (!(await links.spend(tx, account.id, token))) throw invalid
        const at = new Date(now())
        await tx.nativeUpdate(
          UserTable,
          { id: account.id },
          { passwordHash, hasPassword: false, passwordChangedAt: at },
        )
        await endSessions(tx, account.id, at)
        for (const purpose of ['secure', 'reset'] as const) await links.revoke(tx, account.id, purpose)
        await eraseFactors(tx, account.id, link.since)
        await eraseIdentities(tx, account.id, link.since)
        await options.endPrograms?.(tx, account.id, link.since)
        return { userId: account.id, resetToken: await links.issue(tx, 'reset', account) }
      })
    },

    /**
     * Sets a new password in place of the confirmed one, and ends all sessions. Returns the time of the change.
     * @throws ValidationError  @throws Rejection unauthenticated
     */
    async change(account: UserAccount, password: string): Promise<Date> {
      const passwordHash = await hashStrong(password, account)
      return database.em.fork().transactional((tx) => replace(tx, account, passwordHash, account.passwordHash))
    },
  }
}
