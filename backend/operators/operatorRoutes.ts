import type { RouterContext } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { OperatorCaller, Serve } from '../kernel/http/endpoint.ts'
import { pagePath } from '../kernel/http/site/pagePath.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'
import type { OperatorSessions } from './operatorSessions.ts'
import type { Operators } from './roll/operators.ts'
import type { createSignInLimit } from './signInLimit.ts'

interface OperatorRoutes {
  readonly operators: Operators
  readonly sessions: OperatorSessions
  readonly actions: OperatorActions
  readonly limit: ReturnType<typeof createSignInLimit>
  readonly secondStep: SecondStep
}

/** The second step of the sign-in. */
export interface SecondStep {
  /**
   * @param passwordVersion changes with the password and thereby invalidates earlier tickets
   * @throws Rejection second_factor_required, with a ticket, if a second factor is set up
   */
  require(operatorId: string, passwordVersion: string): Promise<void>
  /** Returns the id of the operator. @throws Rejection ticket_invalid @throws ValidationError wrong_code */
  check(ctx: Context, ticket: string, code: string): Promise<string>
  /** Returns the operator with a passkey. @throws Rejection passkey_refused */
  checkPasskey(ctx: Context, credential: object): Promise<OperatorCaller>
}

const DASHBOARD = /^(\/zh)?\/admin\/dashboard$/

/** Redirects dashboard requests to the sign-in page unless they come from the signed-in operator. */
export const operatorGuard =
  (operatorOf: (ctx: RouterContext) => Promise<OperatorCaller | undefined>): Middleware =>
  async (ctx, next) => {
    const found = DASHBOARD.exec(pagePath(ctx.path))
    if (!found || (await operatorOf(ctx as RouterContext))) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${found[1] ?? ''}/admin/dashboard/login`)
  }

/** Serves sign-in, sign-out, and the list of operator actions. */
export function serveOperator(serve: Serve, { operators, sessions, actions, limit, secondStep }: OperatorRoutes): void {
  const signIn = async (ctx: Context, id: string, steppedUp: boolean) => {
    const operator = await operators.caller(id)
    if (operator) await sessions.signIn(ctx, operator, steppedUp)
    // The operator may have been removed in between, and their sessions ended.
    if (!operator || !(await operators.caller(id))) {
      await sessions.endAll(id)
      throw new Rejection('invalid_credentials', 'Wrong username or password.')
    }
    ctx.state.operator = operator.name
    await actions.record({ action: 'signed_in', ctx })
    return { success: true as const, message: 'Signed in.' }
  }

  serve(contract.login, async ({ body, ctx }) => {
    // Counted before the password is checked, so that parallel guesses count in full.
    await limit.take(ctx).catch(async (error) => {
      if (error instanceof Rejection) await actions.recordThrottle(ctx)
      throw error
    })
    const id = await operators.signIn(body.username, body.password)
    if (id === undefined) {
      // The input is not recorded: it may be the right password in the wrong field.
      await actions.record({ action: 'sign_in_refused', ctx })
      throw new Rejection('invalid_credentials', 'Wrong username or password.')
    }
    await limit.giveBack(ctx)
    await secondStep.require(id, await operators.passwordVersion(id))
    return signIn(ctx, id, false)
  })

  serve(contract.secondFactor, async ({ body, ctx }) => {
    return signIn(ctx, await secondStep.check(ctx, body.ticket, body.code), true)
  })

  serve(contract.passkeyLogin, async ({ body, ctx }) => {
    const { id } = await secondStep.checkPasskey(ctx, body.credential)
    return signIn(ctx, id, true)
  })

  serve(contract.logout, async ({ ctx }) => {
    ctx.state.operator = (await sessions.current(ctx))?.name
    if (await sessions.signOut(ctx)) await actions.record({ action: 'signed_out', ctx })
    return { success: true as const, message: 'Signed out.' }
  })

  serve(contract.operatorActions, async ({ query }) => {
    const { rows, total } = await actions.list(query.page, query.per_page)
    return { success: true as const, actions: rows.map((row) => ({ ...row, at: row.at.toISOString() })), total }
  })
}
