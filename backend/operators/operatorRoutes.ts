import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { pagePath } from '../kernel/http/site/pagePath.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'
import type { OperatorSessions } from './operatorSessions.ts'
import type { createSignInLimit } from './signInLimit.ts'

interface OperatorRoutes {
  readonly credentials: { readonly username: string; readonly password: string }
  readonly sessions: OperatorSessions
  readonly actions: OperatorActions
  readonly limit: ReturnType<typeof createSignInLimit>
  readonly secondStep: SecondStep
}

/** The second step of the sign-in. */
export interface SecondStep {
  /** @throws Rejection second_factor_required, with a ticket, if a second factor is set up */
  require(): Promise<void>
  /** @throws Rejection ticket_invalid @throws ValidationError wrong_code */
  check(ctx: Context, ticket: string, code: string): Promise<void>
  /** Checks a passkey of the operator. @throws Rejection passkey_refused */
  checkPasskey(ctx: Context, credential: object): Promise<void>
}

const digest = (text: string) => createHash('sha256').update(text).digest()
/** Compares strings in constant time. */
export const equal = (left: string, right: string) => timingSafeEqual(digest(left), digest(right))

const DASHBOARD = /^(\/zh)?\/admin\/dashboard$/

/** Redirects dashboard requests to the sign-in page unless they come from the signed-in operator. */
export const operatorGuard =
  (isOperator: (ctx: Context) => Promise<boolean>): Middleware =>
  async (ctx, next) => {
    const found = DASHBOARD.exec(pagePath(ctx.path))
    if (!found || (await isOperator(ctx))) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${found[1] ?? ''}/admin/dashboard/login`)
  }

/** Serves sign-in, sign-out, and the list of operator actions. */
export function serveOperator(
  serve: Serve,
  { credentials, sessions, actions, limit, secondStep }: OperatorRoutes,
): void {
  const signIn = async (ctx: Context, steppedUp: boolean) => {
    await sessions.signIn(ctx, steppedUp)
    await actions.record({ action: 'signed_in', ip: ctx.ip })
    return { success: true as const, message: 'Signed in.' }
  }

  serve(contract.login, async ({ body, ctx }) => {
    // Counted before the password is checked, so that parallel guesses count in full.
    await limit.take(ctx).catch(async (error) => {
      if (error instanceof Rejection) await actions.recordThrottle(ctx.ip)
      throw error
    })
    const isName = equal(body.username, credentials.username)
    const isPassword = equal(body.password, credentials.password)
    if (!isName || !isPassword) {
      // The input is not recorded: it may be the right password in the wrong field.
      await actions.record({ action: 'sign_in_refused', ip: ctx.ip })
      throw new Rejection('invalid_credentials', 'Wrong username or password.')
    }
    await limit.giveBack(ctx)
    await secondStep.require()
    return signIn(ctx, false)
  })

  serve(contract.secondFactor, async ({ body, ctx }) => {
    await secondStep.check(ctx, body.ticket, body.code)
    return signIn(ctx, true)
  })

  serve(contract.passkeyLogin, async ({ body, ctx }) => {
    await secondStep.checkPasskey(ctx, body.credential)
    return signIn(ctx, true)
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
