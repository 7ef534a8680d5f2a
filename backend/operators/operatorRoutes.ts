import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'
import { OPERATOR_SESSION_SECONDS, type OperatorSessions } from './operatorSessions.ts'

interface Limit {
  readonly burst: number
  readonly everyMs: number
}

export interface OperatorRoutes {
  readonly operator: { readonly username: string; readonly password: string }
  readonly operatorSessions: OperatorSessions
  readonly operatorActions: OperatorActions
  readonly operatorCookie: OperatorCookie
  readonly throttle: {
    take(kind: string, subject: string, limit: Limit): Promise<void>
    giveBack(kind: string, subject: string, limit: Limit): Promise<void>
  }
  /** Who is counted as one place of the network. */
  readonly placeOf: (ctx: Context) => string
}

/** Wrong passwords from one place, and from all of them together: some 17,000 a day. */
const FROM_ONE: Limit = { burst: 10, everyMs: 30_000 }
const FROM_ALL: Limit = { burst: 60, everyMs: 5_000 }

/** The operator's cookie; over https it is bound to this host (RFC 6265bis). */
export function createOperatorCookie(secure: boolean) {
  const name = secure ? '__Host-kinora_operator' : 'kinora_operator'
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure, overwrite: true } as const
  return {
    get: (ctx: Context) => ctx.cookies.get(name),
    set(ctx: Context, token: string | undefined): void {
      // Behind a proxy the connection itself is not encrypted.
      ctx.cookies.secure = secure
      ctx.cookies.set(name, token ?? null, { ...options, maxAge: OPERATOR_SESSION_SECONDS * 1000 })
    },
  }
}
export type OperatorCookie = ReturnType<typeof createOperatorCookie>

const digest = (text: string) => createHash('sha256').update(text).digest()
/** Takes the same time whatever is right about them. */
const same = (left: string, right: string) => timingSafeEqual(digest(left), digest(right))

export const isOperatorOf =
  ({ operatorSessions, operatorCookie }: Pick<OperatorRoutes, 'operatorSessions' | 'operatorCookie'>) =>
  (ctx: Context): Promise<boolean> =>
    operatorSessions.isOpen(operatorCookie.get(ctx))

const DASHBOARD = /^(\/zh)?\/admin\/dashboard\/?$/

/** Sends who is not signed in as the operator from the board to its sign-in page. */
export const operatorGuard =
  (isOperator: (ctx: Context) => Promise<boolean>): Middleware =>
  async (ctx, next) => {
    const found = DASHBOARD.exec(ctx.path)
    if (!found || (await isOperator(ctx))) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${found[1] ?? ''}/admin/dashboard/login`)
  }

/** The operator's way in and out. */
export function serveOperator(serve: Serve, ports: OperatorRoutes): void {
  const { operator, operatorSessions, operatorActions, operatorCookie, throttle, placeOf } = ports

  serve(contract.login, async ({ body, ctx }) => {
    const place = placeOf(ctx)
    // Counted before the password is looked at, so that a hundred guesses at once count as a hundred.
    await throttle.take('operator from', place, FROM_ONE)
    await throttle.take('operator', 'all', FROM_ALL)
    const isName = same(body.username, operator.username)
    const isPassword = same(body.password, operator.password)
    if (!isName || !isPassword) {
      // What was typed may be the right password in the wrong field: it is not kept.
      await operatorActions.note({ action: 'sign_in_refused', ip: ctx.ip })
      throw new Rejection('invalid_credentials', 'Wrong username or password.')
    }
    await throttle.giveBack('operator from', place, FROM_ONE)
    await throttle.giveBack('operator', 'all', FROM_ALL)
    const token = await operatorSessions.open()
    await operatorActions.note({ action: 'signed_in', ip: ctx.ip })
    operatorCookie.set(ctx, token)
    return { success: true as const, message: 'Signed in.' }
  })

  serve(contract.logout, async ({ ctx }) => {
    if (await operatorSessions.end(operatorCookie.get(ctx)))
      await operatorActions.note({ action: 'signed_out', ip: ctx.ip })
    operatorCookie.set(ctx, undefined)
    return { success: true as const, message: 'Signed out.' }
  })

  serve(contract.operatorActions, async ({ query }) => {
    const { actions, total } = await operatorActions.list(query.page, query.per_page)
    return { success: true as const, actions: actions.map((row) => ({ ...row, at: row.at.toISOString() })), total }
  })
}
