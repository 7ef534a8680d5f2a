import { createHash, randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'
import type { UserAccount } from '../tables.ts'
import { composeMail } from './composeMail.ts'
import type { Outbox } from './outbox.ts'

const HOUR_MS = 3_600_000
const LINKS = {
  verify: { purpose: 'verify', mail: 'verification', path: '/verify-email', lifetimeMs: 24 * HOUR_MS },
  reset: { purpose: 'reset', mail: 'reset', path: '/reset-password', lifetimeMs: HOUR_MS },
  /** Resets the password of an address that has never been verified. */
  choose: { purpose: 'reset', mail: 'choosePassword', path: '/reset-password', lifetimeMs: HOUR_MS },
  /** Confirms the deletion of an account without a password. */
  delete: { purpose: 'delete', mail: 'deleteAccount', path: '/profile/settings', lifetimeMs: HOUR_MS },
  /** Ends every session and leads to a new password. */
  secure: { purpose: 'secure', mail: 'newDevice', path: '/reset-password', lifetimeMs: 7 * 24 * HOUR_MS },
  factorAdded: { purpose: 'secure', mail: 'factorAdded', path: '/reset-password', lifetimeMs: 7 * 24 * HOUR_MS },
  identityAdded: { purpose: 'secure', mail: 'identityAdded', path: '/reset-password', lifetimeMs: 7 * 24 * HOUR_MS },
  identityRemoved: {
    purpose: 'secure',
    mail: 'identityRemoved',
    path: '/reset-password',
    lifetimeMs: 7 * 24 * HOUR_MS,
  },
  factorRemovalPlanned: {
    purpose: 'secure',
    mail: 'factorRemovalPlanned',
    path: '/reset-password',
    lifetimeMs: 7 * 24 * HOUR_MS,
  },
  addressChangePlanned: {
    purpose: 'secure',
    mail: 'addressChangePlanned',
    path: '/reset-password',
    lifetimeMs: 7 * 24 * HOUR_MS,
  },
  deletionPlanned: {
    purpose: 'secure',
    mail: 'deletionPlanned',
    path: '/reset-password',
    lifetimeMs: 7 * 24 * HOUR_MS,
  },
  factorRemoved: { purpose: 'secure', mail: 'factorRemoved', path: '/reset-password', lifetimeMs: 7 * 24 * HOUR_MS },
} as const
type Kind = keyof typeof LINKS
type Purpose = (typeof LINKS)[Kind]['purpose']

/** What a visitor entered. It becomes the account's when the visitor proves to own the address. */
export type PendingRegistration = Pick<UserAccount, 'email' | 'fullName' | 'language' | 'passwordHash'>
type Recipient = PendingRegistration & { readonly id: string }
type Texts = Readonly<Record<string, string>>
/** Number of pending registrations whose passwords a sign-in is compared with. */
const COMPARED = 10

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export type MailedLinks = ReturnType<typeof createMailedLinks>

// Transactions that change a user's links run one after another, and lock the account first to avoid deadlocks.
async function lock(tx: EntityManager, userId: string): Promise<void> {
  const found = await query<object>(tx, 'select 1 from user_account where id = $1 for update', [userId])
  if (found.length === 0) throw new Rejection('unauthenticated', 'This account was deleted.')
}

/** Invalidates a user's links for a purpose. */
const revoke = (tx: EntityManager, userId: string, purpose: Purpose) =>
  query(tx, 'delete from mail_token where user_id = $1 and purpose = $2', [userId, purpose])

/**
 * Invalidates the links that were mailed before an address was verified, perhaps to another spelling of it. Those that
 * verify it are remembered without their registrations, because mail scanners and people open them again.
 * @returns the hashes of the links that verified the address
 */
async function revokeUnverified(tx: EntityManager, userId: string): Promise<string[]> {
  await lock(tx, userId)
  await revoke(tx, userId, 'reset')
  const spent = await query<{ hash: string }>(
    tx,
    `update mail_token set purpose = 'verified', registration = null
     where user_id = $1 and purpose = 'verify' returning hash`,
    [userId],
  )
  return spent.map(({ hash }) => hash)
}

const createLinkReads = (database: Database, now: Clock) => ({
  /** Returns whether a token is that of a link whose account was verified since, however long ago it expired. */
  async isVerified(token: string): Promise<boolean> {
    const sql = "select 1 from mail_token where hash = $1 and purpose = 'verified'"
    return (await query<object>(database, sql, [hashOf(token)])).length > 0
  },

  /**
   * Returns the user that a token was issued to, and the registration that it activates; null if that is the
   * account's own. `since` is when the oldest of the user's valid links for the purpose was issued. Returns undefined
   * if the token is invalid or has expired.
   */
  async find(token: string, purpose: Purpose) {
    const sql = `select user_id as "userId", registration, (
        select min(expires_at) from mail_token v
        where v.user_id = t.user_id and v.purpose = t.purpose and v.expires_at > $1
      ) as "firstExpiry" from mail_token t where hash = $2 and purpose = $3 and expires_at > $4`
    const at = new Date(now())
    type Row = Readonly<{ userId: string; registration: PendingRegistration | null; firstExpiry: string }>
    const [row] = await query<Row>(database, sql, [at, hashOf(token), purpose, at])
    return row && { ...row, since: new Date(Date.parse(row.firstExpiry) - LINKS[purpose].lifetimeMs) }
  },

  /** Returns the different password hashes of a user's newest verification links, expired ones included. */
  async pendingHashes(userId: string): Promise<string[]> {
    const rows = await query<{ hash: string }>(
      database,
      `select registration ->> 'passwordHash' as hash from mail_token
       where user_id = $1 and purpose = 'verify' and registration is not null
       group by 1 order by max(expires_at) desc limit $2`,
      [userId, COMPARED],
    )
    return rows.map(({ hash }) => hash)
  },
})

/** Creates a sender of emailed links with single-use tokens. Stores only the hashes of the tokens. */
export function createMailedLinks(database: Database, outbox: Outbox, publicUrl: () => string, now: Clock) {
  /**
   * Stores and returns a token within the caller's transaction. Earlier ones stay valid: anyone can ask for a new link,
   * also while the owner uses one. A token that verifies an address carries the registration that it activates.
   */
  const issue = async (
    tx: EntityManager,
    kind: Kind,
    { id, ...account }: Recipient,
    issuedAt = now(),
  ): Promise<string> => {
    const { purpose, lifetimeMs } = LINKS[kind]
    const { email, fullName, language, passwordHash } = account
    const token = randomBytes(32).toString('base64url')
    await lock(tx, id)
    const registration = purpose === 'verify' ? JSON.stringify({ email, fullName, language, passwordHash }) : null
    await query(
      tx,
      'insert into mail_token (hash, user_id, purpose, expires_at, registration) values ($1, $2, $3, $4, $5)',
      [hashOf(token), id, purpose, new Date(issuedAt + lifetimeMs), registration],
    )
    return token
  }

  return {
    ...createLinkReads(database, now),
    revoke,
    revokeUnverified,
    issue,

    /** Spends a link that verifies an address, and with it the user's other ones. @returns false if it was already spent */
    spendVerification: async (tx: EntityManager, userId: string, token: string): Promise<boolean> =>
      (await revokeUnverified(tx, userId)).includes(hashOf(token)),

    /**
     * Emails a link with a new token, to a page in the account's language, within the caller's transaction. `query`
     * extends the link, `values` fill the text. `issuedAt`, in epoch ms, dates the token back.
     */
    async send(
      tx: EntityManager,
      kind: Kind,
      account: Recipient,
      { query = {}, values = {}, issuedAt }: { query?: Texts; values?: Texts; issuedAt?: number } = {},
    ): Promise<void> {
      const { mail, path, lifetimeMs } = LINKS[kind]
      const token = await issue(tx, kind, account, issuedAt)
      const page = publicUrl() + (account.language === 'zh' ? '/zh' : '') + path
      const link = `${page}?${new URLSearchParams({ token, ...query })}`
      await outbox.put(tx, account.id, composeMail(mail, account, link, values), lifetimeMs)
    },

    /** Deletes a user's token. @returns false if it was already spent */
    async spend(tx: EntityManager, userId: string, token: string): Promise<boolean> {
      await lock(tx, userId)
      const spent = await query<object>(tx, 'delete from mail_token where hash = $1 returning hash', [hashOf(token)])
      return spent.length > 0
    },
  }
}
