import type { RouterContext } from '@koa/router'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { AccountServices } from './accountServices.ts'
import { findAccount } from './accounts.ts'
import type { Invitations } from './invitations.ts'
import { composeMail } from './mails/composeMail.ts'
import { domainFault } from './mails/mailAddress.ts'
import type { Outbox } from './mails/outbox.ts'
import { assertOpen } from './sessions/registrationOpen.ts'
import { createSignIns } from './sessions/signIns.ts'

interface TeamAccountsOptions {
  readonly database: Database
  readonly outbox: Outbox
  readonly invitations: Invitations
  readonly services: AccountServices
  /** Whether to reject reserved domains such as example.com. */
  readonly production: boolean
  /** Page of the site that a mailed invitation opens. */
  readonly page: string
}

type Invitation = Readonly<{ token: string; team: string; expiresAt: Date; lifetimeMs: number }>

/** Creates what teams need of accounts: those of invited people, and the mails to them. */
export function createTeamAccounts({ database, outbox, invitations, services, production, page }: TeamAccountsOptions) {
  const { accounts, publicUrl } = services
  const find = async (email: string) => {
    const account = await findAccount(database.em.fork(), email)
    return account ? { ...account, isVerified: account.emailVerifiedAt !== null } : undefined
  }

  return {
    find,

    /** Makes the account of an address, which a mail has proved. @throws Rejection registration_closed */
    async claim(email: string): Promise<string> {
      assertOpen(services)
      return (await invitations.invite(email)).userId
    },

    /**
     * Refuses an invitation that no mail would bring to its address, or to an address that no account may be registered with.
     * The answer does not depend on whether it has one. @throws Rejection mail_required @throws ValidationError
     */
    assertMayInvite(email: string): void {
      if (!services.registrationOpen)
        throw new Rejection('mail_required', 'This installation sends no mails, so it cannot invite people.')
      const fault = domainFault(email, production)
      if (fault) throw new ValidationError([{ path: 'email', code: fault }])
    },

    async signIn(ctx: RouterContext, userId: string): Promise<void> {
      const account = await accounts.byId(userId)
      if (!account) throw new Rejection('unauthenticated', 'This account was deleted.')
      await createSignIns(services).openOrAsk(ctx, account)
    },

    /**
     * Mails an invitation, in the language of the person's account or else of the owner. The mail is the owner's until it is
     * delivered, because the person may have no account.
     */
    async mail(ownerId: string, email: string, { token, team, expiresAt, lifetimeMs }: Invitation): Promise<void> {
      const owner = await accounts.byId(ownerId)
      if (!owner) return
      const language = (await find(email))?.language ?? owner.language
      const link = `${publicUrl()}${language === 'zh' ? '/zh' : ''}${page}#token=${token}`
      const values = { team, owner: owner.fullName, date: expiresAt.toISOString() }
      const mail = composeMail('teamInvitation', { email, fullName: '', language }, link, values)
      await database.em.fork().transactional((tx) => outbox.put(tx, ownerId, mail, lifetimeMs))
    },
  }
}
