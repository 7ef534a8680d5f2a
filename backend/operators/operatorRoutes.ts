import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'
import type { OperatorSessions } from './operatorSessions.ts'
import type { createSignInLimit } from './signInLimit.ts'

interface OperatorRoutes {
  readonly credentials: { readonly username: string; readonly password: string }
  readonly sessions: OperatorSessions
  readonly actions: OperatorActions
  readonly limit: ReturnType<typeof createSignInLimit>
}

const digest = (text: string) => createHash('sha256').update(text).digest()
/** Compares strings in constant time. */
const equal = (left: string, right: string) => timingSafeEqual(digest(left), digest(right))

const DASHBOARD = /^(\/zh)?\/admin\/dashboard\/?$/

/** Redirects dashboard requests to the sign-in page unless they come from the signed-in operator. */
export const operatorGuard =
  (isOperator: (ctx: Context) => Promise<boolean>): Middleware =>
  async (ctx, next) => {
    const found = DASHBOARD.exec(ctx.path)
    if (!found || (await isOperator(ctx))) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${found[1] ?? ''}/admin/dashboard/login`)
  }

/** Serves sign-in, sign-out, and the list of operator actions. */
export function serveOperator(serve: Serve, { credentials, sessions, actions, limit }: OperatorRoutes): void {
  serve(contract.login, async ({ body, ctx }) => {
    // Counted before the password is checked, so that parallel guesses count in full.
    await limit.take(ctx)
    const isName = equal(body.username, credentials.username)
    const isPassword = equal(body.password, credentials.password)
    if (!isName || !isPassword) {
      // The input is not recorded: it may be the right password in the wrong field.
      await actions.record({ action: 'sign_in_refused', ip: ctx.ip })
      throw new Rejection('invalid_credentials', 'Wrong username or password.')
    }
    await limit.giveBack(ctx)
    await sessions.signIn(ctx)
    await actions.record({ action: 'signed_in', ip: ctx.ip })
    return { success: true as const, message: 'Signed in.' }
  })

  serve(contract.logout, async ({ ctx }) => {
    if (await sessions.signOut(ctx)) await actions.record({ action: 'signed_out', ip: ctx.ip })
    return { success: true as const, message: 'Signed out.' }
  })

  serve(contract.operatorActions, async ({ query }) => {
    const { rows, total } = await actions.list(query.page, query.per_page)
    return { success: true as const, actions: rows.map((row) => ({ ...row, at: row.at.toISOString() })), total }
  })
}
