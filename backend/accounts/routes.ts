import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { AccountServices } from './accountServices.ts'
import { asUser } from './accounts.ts'
import * as contract from './contract.ts'
import { mailIdentity } from './mails/mailAddress.ts'
import { networkAddress } from './sessions/networkAddress.ts'

export type AccountRoutes = Pick<AccountServices, 'accounts' | 'passwords' | 'sessions' | 'attempts'>

/** Serves registration, sign-in and password reset. */
export function serveAccounts(serve: Serve, { accounts, passwords, sessions, attempts }: AccountRoutes): void {
  serve(contract.register, async ({ body, ctx }) => {
    await attempts.take('register', networkAddress(ctx))
    await accounts.register(body)
    return { message: 'Registered. Please check your email for the verification link.' }
  })

  serve(contract.verifyEmail, async ({ body }) => {
    const granted = await accounts.verifyEmail(body.token)
    return { message: 'Email verified.', credits_granted: granted }
  })

  // These two routes must not reveal whether an address is registered: every attempt counts, and emails are sent in the
  // background.
  serve(contract.resendVerification, async ({ body: { email }, ctx }) => {
    await attempts.take('resend from', networkAddress(ctx))
    await attempts.take('resend', mailIdentity(email))
    accounts.resendVerification(email)
    return { message: 'If this address waits for its verification, a new link is on its way.' }
  })

  serve(contract.forgotPassword, async ({ body: { email }, ctx }) => {
    await attempts.take('forgot from', networkAddress(ctx))
    await attempts.take('forgot', mailIdentity(email))
    passwords.forgot(email)
    return { message: 'If this address has an account, a link is on its way.' }
  })

  serve(contract.resetPassword, async ({ body, ctx }) => {
    const { identity } = await passwords.reset(body.token, body.new_password)
    // The owner has proved access to the mailbox, so attempts from other devices must not lock this device out.
    sessions.rememberDevice(ctx, identity)
    return { message: 'The password was changed. Please sign in.' }
  })

  serve(contract.login, async ({ body, ctx }) => {
    const identity = mailIdentity(body.email)
    const address = networkAddress(ctx)
    const device = sessions.knownDevice(ctx, identity, await accounts.passwordChangedAt(body.email))
    const [kind, subject] = device ? (['sign in by device', device] as const) : (['sign in', identity] as const)
    // Count the attempt before checking the password, so that concurrent guesses are limited too.
    await attempts.take('sign in from', address)
    await attempts.take(kind, subject)
    const account = await passwords.authenticate(body.email, body.password)
    await attempts.giveBack('sign in from', address)
    await attempts.giveBack(kind, subject)
    await sessions.open(ctx, account.id)
    if (!device) sessions.rememberDevice(ctx, identity)
    return { user: asUser(account) }
  })

  serve(contract.me, async ({ userId, ctx }) => {
    const account = await accounts.byId(userId)
    if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
    sessions.mark(ctx)
    return asUser(account)
  })

  serve(contract.refresh, async ({ ctx }) => {
    if (!(await sessions.refresh(ctx))) throw new Rejection('unauthenticated', 'The session has ended. Please sign in.')
    return { message: 'Refreshed.' }
  })

  serve(contract.logout, async ({ ctx }) => {
    await sessions.end(ctx)
    return { message: 'Signed out.' }
  })
}
