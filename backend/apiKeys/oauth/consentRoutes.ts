import type { Context } from 'koa'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import { addressWith, checkRequest } from './accessRequest.ts'
import type { Clients } from './clients.ts'
import type { Connections } from './connections.ts'
import * as contract from './contract.ts'
import { isLoopbackUri } from './redirectUris.ts'

/** Requests of a user may make this server fetch documents of programs. */
const REQUESTS = { burst: 30, everyMs: 10_000 }

type Proof = Readonly<{ password?: string | undefined; token?: string | undefined }>

export interface ConsentRoutes {
  readonly clients: Pick<Clients, 'find'>
  readonly connections: Pick<Connections, 'allow'>
  readonly publicUrl: () => string
  /** Checks that the person at the keyboard owns the account, now. */
  readonly confirmations: { confirmOwner(ctx: Context, userId: string, proof: Proof): Promise<void> }
  readonly securityLog: { record(ctx: Context, userId: string, change: 'connection_allowed'): Promise<void> }
  readonly throttle: (kind: 'access request', subject: string, limit: typeof REQUESTS) => Promise<void>
}

/**
 * Serves the consent page. A connection may spend the user's credits as a key may, so it needs the same confirmation: otherwise a
 * borrowed session could make one that outlives it.
 */
export function serveConsent(serve: Serve, routes: ConsentRoutes): void {
  const { clients, connections, publicUrl, confirmations, securityLog, throttle } = routes
  const check = async (userId: string, request: contract.AccessRequest) => {
    await throttle('access request', userId, REQUESTS)
    return checkRequest(request, clients.find, publicUrl())
  }

  serve(contract.readRequest, async ({ userId, query }) => {
    const { client, redirectUri, scopes, state } = await check(userId, query)
    const { protocol, host } = new URL(redirectUri)
    return {
      client: { name: client.name, host: client.host },
      returns_to: isLoopbackUri(redirectUri) ? null : protocol === 'https:' ? host : protocol,
      scopes,
      refused_url: addressWith(redirectUri, { error: 'access_denied', state, iss: publicUrl() }),
    }
  })

  serve(contract.allowAccess, async ({ userId, body, ctx }) => {
    const { credits_per_month, password, token, ...request } = body
    await confirmations.confirmOwner(ctx, userId, { password, token })
    const { client, redirectUri, challenge, scopes, state } = await check(userId, request)
    const spends = scopes.includes('videos:write')
    if (spends && credits_per_month === undefined)
      throw new ValidationError([{ path: 'credits_per_month', code: 'required' }])
    const creditsPerMonth = spends ? (credits_per_month ?? null) : null
    const code = await connections.allow(userId, { client, scopes, creditsPerMonth, redirectUri, challenge })
    await securityLog.record(ctx, userId, 'connection_allowed')
    return { redirect_to: addressWith(redirectUri, { code, state, iss: publicUrl() }) }
  })
}
