import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import type { Calendar } from '../kernel/time.ts'
import type { FreeGrants } from './freeGrants.ts'
import { composeMail, type MailKind } from './mails/composeMail.ts'
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
  readonly setPageRemoved: (tx: EntityManager, action: Action, removed: boolean) => Promise<boolean>
  readonly publicUrl: () => string
  /** Address to which a suspended person appeals; empty if there is none. */
  readonly supportEmail: string
}

/** `subject`: id of the user or of a film. */
type Action = AccountAction & Readonly<{ subject: string; reason: string }>
type Act = (action: Action) => Promise<void>

const MAIL_LIFETIME_MS = 14 * 24 * 3_600_000

/** Creates what operators do to accounts. Each action is carried out once, in one transaction with its mails. */
export function createOperatorActs(options: OperatorActsOptions) {
  const { database, links, grants, securityLog, calendar } = options

  /** @throws Rejection not_found, if the account was deleted */
  const once = (
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

  const suspension =
    (suspended: boolean): Act =>
    (action) =>
      once(action, async (tx, account) => {
        if (!(await setSuspended(tx, action, suspended))) return
        if (suspended) await endSessions(tx, account.id, new Date())
        await securityLog.recordOfOperator(account.id, suspended ? 'suspended' : 'restored', tx)
        await mail(options, tx, account, suspended ? 'suspended' : 'restored', action.reason)
      })

  const publicPage =
    (removed: boolean): Act =>
    (action) =>
      once(action, async (tx, account) => {
        if (await options.setPageRemoved(tx, action, removed))
          await mail(options, tx, account, removed ? 'pageRemoved' : 'pageRestored', action.reason)
      })

  return {
    take_down: publicPage(true),
    put_back: publicPage(false),
    suspend: suspension(true),
    restore: suspension(false),

    sign_out: (action) =>
      once(action, async (tx, { id }) => {
        await endSessions(tx, id, new Date())
        await securityLog.recordOfOperator(id, 'signed_out_by_operator', tx)
      }),

    /** @throws Rejection email_not_verified */
    send_reset: (action) =>
      once(action, async (tx, account) => {
        if (!account.emailVerifiedAt) throw new Rejection('email_not_verified', 'This address is not verified.')
        await links.send(tx, 'reset', account)
        await securityLog.recordOfOperator(account.id, 'reset_requested', tx)
      }),

    /**
     * Verifies an address. If it was registered with different passwords, any of them may be a stranger's, so none of them works,
     * and a mail lets its reader choose one.
     */
    async verify_email(action) {
      const account = await database.em.fork().findOne(UserTable, { id: action.userId })
      if (account && !account.emailVerifiedAt) await grants.grantOnce(account)
      await once(action, async (tx, account) => {
        if (account.emailVerifiedAt) return
        const isOnly = (await links.pendingHashes(account.id)).every((hash) => hash === account.passwordHash)
        const disabled = isOnly ? {} : { passwordHash: unusablePassword(), hasPassword: false }
        await links.revokeUnverified(tx, account.id)
        const verified = { emailVerifiedAt: new Date(calendar()), ...disabled }
        await tx.nativeUpdate(UserTable, { id: account.id }, verified)
        if (!isOnly) await links.send(tx, 'reset', account)
        await securityLog.recordOfOperator(account.id, 'verified_by_operator', tx)
      })
    },
  } satisfies Record<string, Act>
}

/** Tells a person about an action, with the reason, and how to appeal. */
async function mail(
  { outbox, publicUrl, supportEmail }: OperatorActsOptions,
  tx: EntityManager,
  account: UserAccount,
  kind: MailKind & ('suspended' | 'restored' | 'pageRemoved' | 'pageRestored'),
  reason: string,
): Promise<void> {
  const page = `${publicUrl()}${account.language === 'zh' ? '/zh' : ''}/profile`
  const link = (kind === 'suspended' || kind === 'pageRemoved') && supportEmail ? `mailto:${supportEmail}` : page
  await outbox.put(tx, account.id, composeMail(kind, account, link, { reason }), MAIL_LIFETIME_MS)
}
