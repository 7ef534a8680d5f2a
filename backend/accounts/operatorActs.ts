import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import type { Calendar } from '../kernel/time.ts'
import { eraseFactors } from './factors/secondFactors.ts'
import type { FreeGrants } from './freeGrants.ts'
import { composeMail, type MailKind } from './mails/composeMail.ts'
import { mailIdentity } from './mails/mailAddress.ts'
import type { MailedLinks } from './mails/mailedLinks.ts'
import type { Outbox } from './mails/outbox.ts'
import { unusablePassword } from './passwords.ts'
import type { SecurityLog } from './security/securityLog.ts'
import { endSessions } from './sessions/sessions.ts'
import { type AccountAction, setSuspended } from './suspensions.ts'
import { type UserAccount, UserTable } from './tables.ts'

interface OperatorActsOptions {
  readonly database: Database
  readonly links: MailedLinks
  readonly outbox: Outbox
  readonly grants: FreeGrants
  readonly securityLog: Pick<SecurityLog, 'recordOfOperator'>
  readonly calendar: Calendar
  /** Removes the public page of a film, or allows it again. Returns whether it did. */
  readonly setPageRemoved: (tx: EntityManager, action: Reasoned, removed: boolean) => Promise<boolean>
  /** Deletes an account. */
  readonly erase: (userId: string) => Promise<unknown>
  /** Decrypts the new address of an action; undefined if the account was deleted. */
  readonly addressOf: (action: Delayed) => Promise<string | undefined>
  readonly publicUrl: () => string
  /** Address to which a suspended person appeals; empty if there is none. */
  readonly supportEmail: string
}

type Act = (action: Delayed) => Promise<void>
/** `subject`: id of the user or of a film. */
type Reasoned = AccountAction & Readonly<{ subject: string; reason: string }>
/** An action that waits for its time. */
type Delayed = Reasoned & Readonly<{ kind: string; sealedAddress?: string; dueAt?: string }>
type Values = Readonly<Record<string, string>>

/** Mails that warn of an action before its time. */
const WARNINGS = {
  remove_factor: 'factorRemovalPlanned',
  change_address: 'addressChangePlanned',
  delete_account: 'deletionPlanned',
} as const
/** A link to secure the account removes what is younger than itself; these mails are about nothing that is. */
const WARNING = { query: { secure: '1' } }

const MAIL_LIFETIME_MS = 14 * 24 * 3_600_000

type Once = ReturnType<typeof createOnce>

/** Creates what makes the effect of an action once, with the account locked. It throws `not_found` if the account was deleted. */
function createOnce({ database, calendar }: OperatorActsOptions) {
  return (
    { actionId, userId }: AccountAction,
    work: (tx: EntityManager, account: UserAccount) => Promise<void>,
  ): Promise<void> =>
    database.em.fork().transactional(async (tx) => {
      const account = await tx.findOne(UserTable, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!account) throw new Rejection('not_found', 'This account was deleted.')
      const row = [actionId, new Date(calendar())]
      const sql = 'insert into desk_effect (action_id, at) values ($1, $2) on conflict do nothing returning action_id'
      if ((await query(tx, sql, row)).length > 0) await work(tx, account)
    })
}

/**
 * Marks the account's address as verified. If it was registered with different passwords, any of them may be a stranger's, so none
 * of them works. Returns whether the password stays.
 */
async function setVerified({ links, calendar }: OperatorActsOptions, tx: EntityManager, account: UserAccount) {
  const isOnly = (await links.pendingHashes(account.id)).every((hash) => hash === account.passwordHash)
  const disabled = isOnly ? {} : { passwordHash: unusablePassword(), hasPassword: false }
  await links.revokeUnverified(tx, account.id)
  await tx.nativeUpdate(UserTable, { id: account.id }, { emailVerifiedAt: new Date(calendar()), ...disabled })
  return isOnly
}

/** Creates what operators do about a person's access immediately. */
function createAccessActs(options: OperatorActsOptions, once: Once) {
  const { database, links, grants, securityLog } = options
  return {
    sign_out: (action) =>
      once(action, async (tx, account) => {
        await endSessions(tx, account.id, new Date())
        await securityLog.recordOfOperator(account.id, 'signed_out_by_operator', tx)
        await mail(options, tx, account, 'signedOut', { reason: action.reason })
      }),

    /** @throws Rejection email_not_verified */
    send_reset: (action) =>
      once(action, async (tx, account) => {
        if (!account.emailVerifiedAt) throw new Rejection('email_not_verified', 'This address is not verified.')
        await links.send(tx, 'reset', account)
        await securityLog.recordOfOperator(account.id, 'reset_requested', tx)
      }),

    /** Verifies an address. If none of its passwords works then, a mail lets its reader choose one. */
    async verify_email(action) {
      const account = await database.em.fork().findOne(UserTable, { id: action.userId })
      if (account && !account.emailVerifiedAt) await grants.grantOnce(account)
      await once(action, async (tx, account) => {
        if (account.emailVerifiedAt) return
        if (await setVerified(options, tx, account))
          await mail(options, tx, account, 'addressVerified', { reason: action.reason })
        else await links.send(tx, 'reset', account)
        await securityLog.recordOfOperator(account.id, 'verified_by_operator', tx)
      })
    },
  } satisfies Record<string, Act>
}

/** Creates what operators do after a wait, and the warning before it. */
function createDelayedActs(options: OperatorActsOptions, once: Once) {
  const { database, grants, links, securityLog } = options

  /** @throws Rejection not_found */
  const addressOf = async (action: Delayed): Promise<string> => {
    const address = await options.addressOf(action)
    if (address === undefined) throw new Rejection('not_found', 'This account was deleted.')
    return address
  }

  return {
    /** Removes all second factors, and ends the sessions. */
    remove_factor: (action) =>
      once(action, async (tx, account) => {
        await eraseFactors(tx, account.id)
        await endSessions(tx, account.id, new Date())
        await securityLog.recordOfOperator(account.id, 'second_factor_removed', tx)
        await links.send(tx, 'factorRemoved', account, WARNING)
      }),

    /** Changes the address, and ends the sessions and links of the former one. @throws Rejection email_already_registered */
    async change_address(action: Delayed) {
      const email = await addressOf(action)
      const identity = mailIdentity(email)
      const others = { id: { $ne: action.userId }, $or: [{ identity }, { email }] }
      const taken = new Rejection('email_already_registered', 'Another account has this address.')
      const em = database.em.fork()
      const pending = await em.findOne(UserTable, { id: action.userId, emailVerifiedAt: null })
      // The change verifies the address, as a mailed link does.
      if (pending && !(await em.findOne(UserTable, others))) await grants.grantOnce({ id: pending.id, identity })
      await once(action, async (tx, account) => {
        if (await tx.findOne(UserTable, others)) throw taken
        const keepsPassword = account.emailVerifiedAt !== null || (await setVerified(options, tx, account))
        await tx.nativeUpdate(UserTable, { id: account.id }, { email, identity })
        await endSessions(tx, account.id, new Date())
        for (const purpose of ['reset', 'delete', 'secure'] as const) await links.revoke(tx, account.id, purpose)
        await securityLog.recordOfOperator(account.id, 'address_changed', tx)
        for (const to of [account.email, email])
          await mail(options, tx, { ...account, email: to }, 'addressChanged', {})
        if (!keepsPassword) await links.send(tx, 'reset', { ...account, email })
      }).catch((error) => {
        throw error instanceof UniqueConstraintViolationException ? taken : error
      })
    },

    /** The event is the trace that stays. */
    async delete_account({ userId }) {
      await options.erase(userId)
    },

    /** Warns the person of an action before its time, with a link that stops it, and the owner of a new address. */
    async announce(action: Delayed): Promise<void> {
      const kind = WARNINGS[action.kind as keyof typeof WARNINGS]
      const newAddress = action.sealedAddress === undefined ? undefined : await addressOf(action)
      await once({ ...action, actionId: derivedId('announce', action.actionId) }, async (tx, account) => {
        const values = { reason: action.reason, date: action.dueAt ?? action.at }
        await links.send(tx, kind, account, { ...WARNING, values })
        if (newAddress !== undefined)
          await mail(options, tx, { ...account, email: newAddress }, 'addressAwaited', { date: values.date })
      })
    },
  } satisfies Record<string, Act>
}

/** Creates what operators do to accounts. Each action is carried out once, in one transaction with its mails. */
export function createOperatorActs(options: OperatorActsOptions) {
  const { securityLog } = options
  const once = createOnce(options)

  const suspension =
    (suspended: boolean): Act =>
    (action) =>
      once(action, async (tx, account) => {
        if (!(await setSuspended(tx, action, suspended))) return
        if (suspended) await endSessions(tx, account.id, new Date())
        await securityLog.recordOfOperator(account.id, suspended ? 'suspended' : 'restored', tx)
        await mail(options, tx, account, suspended ? 'suspended' : 'restored', { reason: action.reason })
      })

  const publicPage =
    (removed: boolean): Act =>
    (action) =>
      once(action, async (tx, account) => {
        if (!(await options.setPageRemoved(tx, action, removed))) return
        await mail(options, tx, account, removed ? 'pageRemoved' : 'pageRestored', { reason: action.reason })
      })

  return {
    take_down: publicPage(true),
    put_back: publicPage(false),
    suspend: suspension(true),
    restore: suspension(false),

    ...createAccessActs(options, once),
    ...createDelayedActs(options, once),

    /** Tells the person of an action that was carried out. Does nothing if the account was deleted. */
    tell: (action: Reasoned, kind: MailKind, values: Values): Promise<void> =>
      once({ ...action, actionId: derivedId('tell', action.actionId) }, (tx, account) =>
        mail(options, tx, account, kind, { reason: action.reason, ...values }),
      ).catch((error) => {
        if (!(error instanceof Rejection) || error.code !== 'not_found') throw error
      }),
  }
}

/** Tells a person about an action, with the reason, and how to appeal. */
async function mail(
  { outbox, publicUrl, supportEmail }: OperatorActsOptions,
  tx: EntityManager,
  account: UserAccount,
  kind: MailKind,
  values: Values,
): Promise<void> {
  const page = `${publicUrl()}${account.language === 'zh' ? '/zh' : ''}/profile`
  const link = (kind === 'suspended' || kind === 'pageRemoved') && supportEmail ? `mailto:${supportEmail}` : page
  await outbox.put(tx, account.id, composeMail(kind, account, link, values), MAIL_LIFETIME_MS)
}
