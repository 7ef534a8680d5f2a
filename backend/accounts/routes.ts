import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { networkAddress } from '../kernel/http/fairness/networkAddress.ts'
import type { AccountServices } from './accountServices.ts'
import { asUser } from './accounts.ts'
import * as contract from './contract.ts'
import { ticketInvalid } from './factors/tickets.ts'
import { mailIdentity } from './mails/mailAddress.ts'
import { assertMayRegister, assertOpen } from './sessions/registrationOpen.ts'
import { createSignIns, versionOf } from './sessions/signIns.ts'

export type AccountRoutes = Omit<AccountServices, 'throttle' | 'settled'>

/** Serves registration, sign-in and password reset. */
export function serveAccounts(serve: Serve, services: AccountRoutes): void {
  const { accounts, passwords, sessions, attempts, securityLog, tickets, confirmations, inBackground } = services

  const signIns = createSignIns(services)

  serveRegistration(serve, services)
  serveResets(serve, services)

  serve(contract.login, async ({ body, ctx }) => {
    const identity = mailIdentity(body.email)
    const address = networkAddress(ctx)
    const credentials = await passwords.credentials(body.email)
    const { id: owner, passwordChangedAt } = credentials
    const device = sessions.knownDevice(ctx, identity, passwordChangedAt)
    const [kind, subject] = device ? (['sign in by device', device] as const) : (['sign in', identity] as const)
    // Count the attempt before checking the password, so that concurrent guesses are limited too.
    await attempts.take(ctx, 'sign in from', address, owner)
    await attempts.take(ctx, kind, subject, owner)
    const account = await passwords.authenticate(credentials, body.password).catch((error) => {
      // The record of a known account takes longer, which the time of the answer would reveal.
      inBackground(() => securityLog.record(ctx, owner, 'sign_in_failed'))
      throw error
    })
    await attempts.giveBack(ctx, 'sign in from', address)
    await attempts.giveBack(ctx, kind, subject)
    return signIns.openOrAsk(ctx, account)
  })

  serve(contract.secondFactor, async ({ body: { ticket, code }, ctx }) => {
    const account = await accounts.byId(tickets.ownerOf(ticket))
    if (!account) throw ticketInvalid()
    tickets.check(ticket, versionOf(account))
    await confirmations.verifyFactor(ctx, account, code)
    return signIns.open(ctx, account, true)
  })

  serve(contract.passkeyLogin, async ({ body, ctx }) => {
    const account = await accounts.byId(await confirmations.verifyPasskey(ctx, body.credential))
    if (!account) throw new Rejection('passkey_refused', 'This passkey belongs to no account.')
    return signIns.open(ctx, account, true)
  })

  serve(contract.me, async ({ userId }) => {
    const account = await accounts.byId(userId)
    if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
    return { ...asUser(account), ...((await services.isSuspended(userId)) && { suspended: true as const }) }
  })

  serve(contract.refresh, async ({ ctx }) => {
    const onReuse = (userId: string) => securityLog.record(ctx, userId, 'session_stolen')
    if (!(await sessions.refresh(ctx, onReuse)))
      throw new Rejection('unauthenticated', 'The session has ended. Please sign in.')
    return { message: 'Refreshed.' }
  })

  serve(contract.logout, async ({ ctx }) => {
    const userId = await sessions.end(ctx)
    if (userId) await securityLog.record(ctx, userId, 'signed_out')
    return { message: 'Signed out.' }
  })
}

function serveRegistration(serve: Serve, services: AccountRoutes): void {
  const { accounts, attempts } = services

  serve(contract.register, async ({ body, ctx }) => {
    await assertMayRegister(services)
    await attempts.take(ctx, 'register', networkAddress(ctx))
    await attempts.take(ctx, 'register address', mailIdentity(body.email))
    await accounts.register(body)
    return { message: 'Registered. Please check your email for the verification link.' }
  })

  serve(contract.verifyEmail, async ({ body }) => {
    const granted = await accounts.verifyEmail(body.token)
    return { message: 'Email verified.', credits_granted: granted }
  })

  // The route must not reveal whether an address is registered: every attempt counts, and emails are sent in the
  // background.
  serve(contract.resendVerification, async ({ body: { email }, ctx }) => {
    assertOpen(services)
    await attempts.take(ctx, 'resend from', networkAddress(ctx))
    await attempts.take(ctx, 'resend', mailIdentity(email))
    accounts.resendVerification(email)
    return { message: 'If this address waits for its verification, a new link is on its way.' }
  })
}

function serveResets(serve: Serve, services: AccountRoutes): void {
  const { passwords, sessions, attempts, securityLog } = services

  // The route must not reveal whether an address is registered: every attempt counts, and emails are sent in the
  // background.
  serve(contract.forgotPassword, async ({ body: { email }, ctx }) => {
    assertOpen(services)
    await attempts.take(ctx, 'forgot from', networkAddress(ctx))
    await attempts.take(ctx, 'forgot', mailIdentity(email))
    passwords.forgot(email, (userId) => securityLog.record(ctx, userId, 'reset_requested'))
    return { message: 'If this address has an account, a link is on its way.' }
  })

  serve(contract.resetPassword, async ({ body, ctx }) => {
    const { id, identity } = await passwords.reset(body.token, body.new_password, body.language)
    await securityLog.record(ctx, id, 'password_reset')
    // The owner has proved access to the mailbox, so attempts from other devices must not lock this device out.
    sessions.rememberDevice(ctx, identity)
    return { message: 'The password was changed. Please sign in.' }
  })

  serve(contract.secureAccount, async ({ body, ctx }) => {
    const { userId, resetToken } = await passwords.secure(body.token)
    await securityLog.record(ctx, userId, 'secured')
    return { message: 'Every device was signed out. Please set a new password.', reset_token: resetToken }
  })
}
