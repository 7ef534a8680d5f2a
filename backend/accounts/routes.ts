import { Rejection } from '../eventsourcing/decider.ts'
import type { Serve } from '../http/endpoint.ts'
import { type Accounts, asUser } from './accounts.ts'
import * as contract from './contract.ts'
import { sessionCookies, setSessionCookies } from './cookies.ts'
import type { Sessions } from './sessions.ts'

export interface AccountRoutes {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly secureCookies: boolean
}

export function serveAccounts(serve: Serve, { accounts, sessions, secureCookies }: AccountRoutes): void {
  serve(contract.register, async ({ body }) => {
    await accounts.register(body)
    return { message: 'Registered. Please check your email for the verification link.' }
  })

  serve(contract.verifyEmail, async ({ body }) => {
    await accounts.verifyEmail(body.token)
    return { message: 'Email verified.' }
  })

  serve(contract.resendVerification, async ({ body }) => {
    await accounts.resendVerification(body.email)
    return { message: 'If this address waits for its verification, a new link is on its way.' }
  })

  serve(contract.forgotPassword, ({ body, ctx }) => {
    // Not waited for: the answer takes the same time whether or not there is an account.
    accounts.forgotPassword(body.email).catch((error) => ctx.app.emit('error', error, ctx))
    return { message: 'If this address has an account, a link is on its way.' }
  })

  serve(contract.resetPassword, async ({ body }) => {
    await accounts.resetPassword(body.token, body.new_password)
    return { message: 'The password was changed. Please sign in.' }
  })

  serve(contract.saveLanguage, async ({ body, userId }) => {
    await accounts.saveLanguage(userId, body.language)
    return { language: body.language }
  })

  serve(contract.login, async ({ body, ctx }) => {
    const account = await accounts.authenticate(body.email, body.password)
    const tokens = await sessions.open(account.id, ctx.get('User-Agent'))
    setSessionCookies(ctx, tokens, secureCookies)
    return { user: asUser(account) }
  })

  serve(contract.me, async ({ userId }) => {
    const account = await accounts.byId(userId)
    if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
    return asUser(account)
  })

  serve(contract.refresh, async ({ ctx }) => {
    const tokens = await sessions.refresh(sessionCookies(ctx).refresh)
    setSessionCookies(ctx, tokens, secureCookies)
    if (!tokens) throw new Rejection('unauthenticated', 'The session has ended. Please sign in.')
    return { message: 'Refreshed.' }
  })

  serve(contract.logout, async ({ ctx }) => {
    await sessions.end(sessionCookies(ctx))
    setSessionCookies(ctx, undefined, secureCookies)
    return { message: 'Signed out.' }
  })
}
