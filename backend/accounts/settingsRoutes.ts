import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { asUser } from './accounts.ts'
import * as contract from './contract.ts'
import type { Erasures } from './erasures.ts'
import type { AccountRoutes } from './routes.ts'
import { parseUserAgent } from './sessions/userAgent.ts'

export interface SettingsRoutes extends AccountRoutes {
  readonly erasures: Erasures
}

/** What signed-in users change about their own accounts. */
export function serveSettings(serve: Serve, ports: SettingsRoutes): void {
  const { accounts, passwords, sessions, cookies, throttle, limits, erasures } = ports

  /** The session that the call was made in. */
  const currentSession = async (ctx: Parameters<typeof cookies.session>[0]) => {
    const signedIn = await sessions.authenticate(cookies.session(ctx).access)
    if (!signedIn) throw new Rejection('unauthenticated', 'Please sign in.')
    return signedIn.sessionId
  }

  /** Asks for the password once more; a stolen session is no place to guess it from. */
  const confirmed = async (userId: string, password: string, path: string) => {
    await throttle.take('confirm', userId, limits.confirmation)
    const account = await passwords.confirm(userId, password, path)
    await throttle.giveBack('confirm', userId, limits.confirmation)
    return account
  }

  serve(contract.saveLanguage, async ({ body, userId }) => {
    await accounts.saveLanguage(userId, body.language)
    return { language: body.language }
  })

  serve(contract.saveName, async ({ body, userId }) => asUser(await accounts.rename(userId, body.username)))

  serve(contract.changePassword, async ({ body, userId, ctx }) => {
    const current = await currentSession(ctx)
    const account = await confirmed(userId, body.current_password, 'current_password')
    await passwords.change(account, body.new_password, current)
    return { message: 'The password was changed, and other devices were signed out.' }
  })

  serve(contract.listSessions, async ({ userId, ctx }) => {
    const current = await currentSession(ctx)
    const rows = await sessions.list(userId)
    return {
      sessions: rows.map(({ id, userAgent, createdAt, lastUsedAt }) => ({
        id,
        ...parseUserAgent(userAgent),
        created_at: createdAt.toISOString(),
        last_used_at: lastUsedAt.toISOString(),
        current: id === current,
      })),
    }
  })

  serve(contract.endSession, async ({ userId, params }) => {
    const ended = isUuid(params.id) && (await sessions.endOne(userId, params.id))
    if (!ended) throw new Rejection('not_found', 'This session has ended already.')
    return undefined
  })

  serve(contract.endOtherSessions, async ({ userId, ctx }) => {
    await sessions.endOthers(userId, await currentSession(ctx))
    return undefined
  })

  serve(contract.deleteAccount, async ({ body, userId, ctx }) => {
    await confirmed(userId, body.password, 'password')
    await erasures.request(userId)
    cookies.setSession(ctx, undefined)
    return { message: 'The account was deleted.' }
  })
}
