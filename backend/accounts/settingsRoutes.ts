import type { Context } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instant } from '../kernel/http/instant.ts'
import { asUser } from './accounts.ts'
import * as contract from './contract.ts'
import type { AccountRoutes } from './routes.ts'
import { assertOpen } from './sessions/registrationOpen.ts'
import { parseUserAgent } from './sessions/userAgent.ts'

/** Serves the settings of signed-in users. */
export function serveSettings(serve: Serve, services: AccountRoutes): void {
  const { accounts, passwords, sessions, attempts, securityLog, confirmations } = services

  serve(contract.saveLanguage, async ({ body, userId }) => {
    await accounts.saveLanguage(userId, body.language)
    return { language: body.language }
  })

  serve(contract.saveName, async ({ body, userId }) => asUser(await accounts.rename(userId, body.username)))

  serve(contract.changePassword, async ({ body, userId, ctx }) => {
    const account = await confirmations.confirmPassword(ctx, userId, body.current_password, 'current_password')
    const changedAt = await passwords.change(account, body.new_password)
    await securityLog.record(ctx, userId, 'password_changed')
    // The change ended this session too, in case its cookies were stolen.
    await sessions.open(ctx, userId, changedAt)
    sessions.rememberDevice(ctx, account.identity)
    return { message: 'The password was changed, and other devices were signed out.' }
  })

  serveSessions(serve, services)

  serve(contract.securityRecords, async ({ userId, query }) => {
    const { rows, total } = await securityLog.list(userId, query.page, query.per_page)
    return { records: rows.map((row) => ({ ...row, id: String(row.id), at: instant(row.at) })), total }
  })

  serve(contract.readPassword, async ({ userId }) => ({ set: (await accounts.byId(userId))?.hasPassword ?? true }))

  serve(contract.mailDeletion, async ({ userId, ctx }) => {
    assertOpen(services)
    await attempts.take(ctx, 'forgot', userId, userId)
    await passwords.mailDeletion(userId)
    return { message: 'A link is on its way.' }
  })

  serve(contract.deleteAccount, async ({ body, userId, ctx }) => {
    await confirmations.confirmOwner(ctx, userId, body)
    const isErased = await accounts.erase(userId)
    await sessions.end(ctx)
    if (!isErased) throw new Rejection('unauthenticated', 'This account was deleted.')
    return { message: 'The account was deleted.' }
  })
}

function serveSessions(serve: Serve, { sessions, securityLog }: AccountRoutes): void {
  const currentSession = async (ctx: Context) => {
    const session = await sessions.current(ctx)
    if (!session) throw new Rejection('unauthenticated', 'Please sign in.')
    return session.sessionId
  }

  serve(contract.listSessions, async ({ userId, ctx }) => {
    const current = await currentSession(ctx)
    const rows = await sessions.list(userId)
    return {
      sessions: rows.map(({ id, user_agent, created_at, last_used_at }) => ({
        id,
        ...parseUserAgent(user_agent),
        created_at: instant(created_at),
        last_used_at: instant(last_used_at),
        current: id === current,
      })),
    }
  })

  serve(contract.endSession, async ({ userId, params, ctx }) => {
    const ended = isUuid(params.id) && (await sessions.endOne(userId, params.id))
    if (!ended) throw new Rejection('not_found', 'This session has already ended.')
    await securityLog.record(ctx, userId, 'session_ended')
    return undefined
  })

  serve(contract.endOtherSessions, async ({ userId, ctx }) => {
    await sessions.endOthers(userId, await currentSession(ctx))
    await securityLog.record(ctx, userId, 'other_sessions_ended')
    return undefined
  })
}
