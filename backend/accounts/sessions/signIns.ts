import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { AccountServices } from '../accountServices.ts'
import { asUser } from '../accounts.ts'
import type { UserAccount } from '../tables.ts'

type SignInServices = Pick<AccountServices, 'sessions' | 'securityLog' | 'newDevices' | 'factors' | 'tickets'>

/** Invalidates tickets when the password changes. */
export const versionOf = ({ passwordChangedAt }: UserAccount) => String(passwordChangedAt?.getTime() ?? 0)

/** Creates the last steps of every sign-in. */
export function createSignIns({ sessions, securityLog, newDevices, factors, tickets }: SignInServices) {
  /** Opens the session of a user who has proved who they are. Returns the user. */
  const open = async (ctx: Context, account: UserAccount, steppedUp: boolean) => {
    const since = account.passwordChangedAt ?? null
    const device = sessions.knownDevice(ctx, account.identity, since)
    if (!device) await newDevices.announceIfNew(ctx, account)
    await sessions.open(ctx, account.id, since, steppedUp)
    await securityLog.record(ctx, account.id, 'signed_in')
    if (!device) sessions.rememberDevice(ctx, account.identity)
    return { user: asUser(account) }
  }

  return {
    open,

    /** Opens the session, unless a second factor is set up. @throws Rejection second_factor_required, with a ticket */
    async openOrAsk(ctx: Context, account: UserAccount) {
      const methods = await factors.methods(account.id)
      if (methods.length === 0) return open(ctx, account, false)
      const ticket = tickets.issue(account.id, versionOf(account))
      const detail = 'Enter a code of your second factor to finish signing in.'
      throw new Rejection('second_factor_required', detail, { ticket, methods })
    },
  }
}
