import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { query, queryOne } from '../../kernel/postgres/query.ts'
import { type AccountsOptions, findAccount, findById } from '../accounts.ts'
import { Email, type Language } from '../contract.ts'
import { FullName } from '../contracts/fields.contract.ts'
import { domainFault, domainOf } from '../mails/mailAddress.ts'
import { claimAccount, findOrAddAccount, nameIn } from '../start/findOrAddAccount.ts'
import type { UserAccount } from '../tables.ts'
import type { Profile } from './identityProvider.port.ts'

interface IdentitiesOptions extends Required<AccountsOptions> {
  readonly registrationOpen: boolean
  /** @throws Rejection registration_paused */
  readonly assertMayRegister: () => Promise<void>
  /** Mail domains whose owners may sign up through a provider although registration is closed. */
  readonly domains: readonly string[]
}

const unauthenticated = () => new Rejection('unauthenticated', 'This account was deleted.')
const linkRefused = () =>
  new Rejection('link_refused', 'Sign in to your account here first, then connect it in its security settings.')

/** Locks the account, so that changes of its identities run one after another and a deletion waits. */
async function lock(tx: EntityManager, userId: string) {
  const sql = 'select email, has_password as "hasPassword" from user_account where id = $1 for update'
  const [account] = await query<Pick<UserAccount, 'email' | 'hasPassword'>>(tx, sql, [userId])
  if (!account) throw unauthenticated()
  return account
}

/** Stores an identity. Returns false if the account had it. @throws Rejection identity_taken, identity_conflict */
async function insert(tx: EntityManager, userId: string, issuer: string, profile: Profile): Promise<boolean> {
  const { subject, email = null } = profile
  const added = await query<object>(
    tx,
    `insert into identity (issuer, subject, user_id, email, connected_at, last_used_at) values ($1, $2, $3, $4, now(), now())
     on conflict do nothing returning subject`,
    [issuer, subject, userId, email],
  )
  if (added.length > 0) return true
  const sql = 'select user_id from identity where issuer = $1 and subject = $2'
  const [row] = await query<{ user_id: string }>(tx, sql, [issuer, subject])
  if (row?.user_id === userId) return false
  if (row) throw new Rejection('identity_taken', 'This sign-in belongs to another account.')
  throw new Rejection('identity_conflict', 'Your account is connected to another sign-in of this provider.')
}

/** Deletes the identities of an account that are younger than a time, in the caller's transaction. */
export const eraseIdentities = (tx: EntityManager, userId: string, after: Date) =>
  query(tx, 'delete from identity where user_id = $1 and connected_at > $2', [userId, after])

function createSignUps({ database, links, grants, production, calendar, ...options }: IdentitiesOptions) {
  /** @throws Rejection registration_closed, registration_paused, email_disposable, invalid_email */
  const assertMayJoin = async (email: string): Promise<void> => {
    const fault = domainFault(email, production)
    if (fault) throw new Rejection(fault, 'This address cannot be used here.')
    if (!options.registrationOpen && !options.domains.includes(domainOf(email)))
      throw new Rejection('registration_closed', 'Registration is closed here. Ask the operator for an invitation.')
    await options.assertMayRegister()
  }

  /** Returns the account of the profile's address, which the provider vouches for. Adds one if there is none. */
  return async (issuer: string, profile: Profile, language: Language) => {
    const address = Email.safeParse(profile.email)
    if (!profile.emailVerified || !address.success) throw linkRefused()
    const email = address.data
    const existing = await findAccount(database.em.fork(), email)
    if (!existing?.emailVerifiedAt) await assertMayJoin(email)
    const account = existing ?? (await findOrAddAccount({ database, calendar }, email, language))
    if (!account.emailVerifiedAt) await grants.grantOnce(account)
    const name = FullName.safeParse(profile.name)
    const own = { email, language, fullName: name.success ? name.data : nameIn(email) }
    const isNew = await database.em.fork().transactional(async (tx) => {
      const stored = await lock(tx, account.id)
      const claimed = await claimAccount(tx, links, account.id, own, calendar())
      // Another spelling of an address may be a stranger's mailbox.
      if (!claimed && stored.email !== email) throw linkRefused()
      await insert(tx, account.id, issuer, profile)
      return claimed
    })
    return { userId: account.id, isNew }
  }
}

/**
 * Creates the service that knows which accounts people have at providers. Provider and subject are the identity, never the
 * address. See docs/decisions/0080-sign-in-by-others.md.
 */
export function createIdentities(options: IdentitiesOptions) {
  const { database } = options
  const signUp = createSignUps(options)
  const byId = findById(database)

  return {
    /**
     * Returns the account of an identity. One that is unknown here is connected to the account of its address if the provider
     * vouches for the address and the account is verified; an account that is not verified is replaced.
     * @throws Rejection link_refused, identity_conflict, registration_closed, registration_paused, email_disposable, invalid_email, unauthenticated
     */
    async signIn(issuer: string, profile: Profile, language: Language) {
      const [known] = await query<{ user_id: string }>(
        database,
        `update identity set last_used_at = now(), email = coalesce($1, email) where issuer = $2 and subject = $3
         returning user_id`,
        [profile.email ?? null, issuer, profile.subject],
      )
      const { userId, isNew } = known ? { userId: known.user_id } : await signUp(issuer, profile, language)
      const account = await byId(userId)
      if (!account) throw unauthenticated()
      return { account, isConnected: isNew === false }
    },

    /** Connects an account. Returns false if it was connected before. @throws Rejection identity_taken, identity_conflict */
    connect: (userId: string, issuer: string, profile: Profile): Promise<boolean> =>
      database.em.fork().transactional(async (tx) => {
        await lock(tx, userId)
        return insert(tx, userId, issuer, profile)
      }),

    /** Returns an account's identities. */
    list: (userId: string) =>
      query<{ issuer: string; email: string | null; connected_at: string }>(
        database,
        'select issuer, email, connected_at from identity where user_id = $1',
        [userId],
      ),

    /**
     * Disconnects an account from an issuer. Without a password, a passkey or another of the `issuers`, it would have no way
     * to sign in that needs no mail. @throws Rejection not_found, last_way_in
     */
    disconnect: (userId: string, issuer: string, issuers: readonly string[]): Promise<void> =>
      database.em.fork().transactional(async (tx) => {
        const { hasPassword } = await lock(tx, userId)
        const { others } = await queryOne<{ others: number }>(
          tx,
          `select (select count(*)::int from passkey where owner = $1)
             + (select count(*)::int from identity where user_id = $2 and issuer <> $3 and issuer in (select jsonb_array_elements_text($4::jsonb))) as others`,
          [userId, userId, issuer, JSON.stringify(issuers)],
        )
        const sql = 'delete from identity where user_id = $1 and issuer = $2 returning issuer'
        const removed = await query<object>(tx, sql, [userId, issuer])
        if (removed.length === 0) throw new Rejection('not_found', 'The account is not connected to this provider.')
        if (!hasPassword && others === 0)
          throw new Rejection('last_way_in', 'Set a password or add a passkey first: this is your only way to sign in.')
      }),
  }
}
