import Router, { type RouterContext } from '@koa/router'
import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { networkAddress } from '../../kernel/http/fairness/networkAddress.ts'
import { parseJson, readRawBody } from '../../kernel/http/readRawBody.ts'
import type { EndedKey } from '../apiKeys.ts'
import { isOwnResource } from './accessRequest.ts'
import { type Clients, OAuthFault } from './clients.ts'
import type { Connections } from './connections.ts'
import { CONNECTION_SCOPES } from './contract.ts'

const MAX_BYTES = 16 * 1024
/** The cloud of an assistant registers and exchanges tokens for many users. */
const LIMITS = { registration: { burst: 60, everyMs: 60_000 }, token: { burst: 300, everyMs: 1_000 } }
/** RFC 7636, section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

export interface OAuthRoutes {
  readonly clients: Pick<Clients, 'register'>
  readonly connections: Pick<Connections, 'exchange' | 'refresh'>
  readonly publicUrl: () => string
  readonly apiKeys: { endFound(token: string): Promise<EndedKey | undefined> }
  readonly door: { forget(): void }
  readonly securityLog: { record(ctx: Context, userId: string, change: 'api_key_ended'): Promise<void> }
  readonly throttle: (
    kind: keyof typeof LIMITS,
    subject: string,
    limit: Readonly<{ burst: number; everyMs: number }>,
  ) => Promise<void>
}

/** Returns where clients find what they need (RFC 8414). The issuer never depends on the request. */
const serverMetadata = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/oauth/authorize`,
  token_endpoint: `${url}/oauth/token`,
  registration_endpoint: `${url}/oauth/register`,
  revocation_endpoint: `${url}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  scopes_supported: CONNECTION_SCOPES,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${url}/docs/assistants`,
})

/** Describes the resource that tokens are for (RFC 9728). */
const resourceMetadata = (url: string) => ({
  resource: `${url}/mcp`,
  resource_name: 'Kinora',
  authorization_servers: [url],
  bearer_methods_supported: ['header'],
  scopes_supported: CONNECTION_SCOPES,
  resource_documentation: `${url}/docs/assistants`,
})

/** Serves the calls of clients: metadata, registration, tokens and their revocation. None of them reads cookies. */
export function oauthRoutes(routes: OAuthRoutes): Router {
  const { clients, publicUrl, apiKeys, door, securityLog, throttle } = routes
  const router = new Router({ sensitive: true })
  const metadata = (path: string, describe: (url: string) => object) =>
    router.get(path, (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=300')
      ctx.body = describe(publicUrl())
    })
  for (const path of ['', '/mcp']) {
    metadata(`/.well-known/oauth-protected-resource${path}`, resourceMetadata)
    metadata(`/.well-known/oauth-authorization-server${path}`, serverMetadata)
  }

  const post = (path: string, answer: (ctx: RouterContext) => Promise<object | undefined>, status = 200) =>
    router.post(path, async (ctx) => {
      ctx.set('Cache-Control', 'no-store')
      try {
        const body = await answer(ctx)
        ctx.status = status
        ctx.body = body ?? ''
      } catch (error) {
        sendFault(ctx, error)
      }
    })

  post(
    '/oauth/register',
    async (ctx) => {
      await throttle('registration', networkAddress(ctx), LIMITS.registration)
      return clients.register(parseJson(await readRawBody(ctx, MAX_BYTES)))
    },
    201,
  )

  post('/oauth/token', async (ctx) => {
    await throttle('token', networkAddress(ctx), LIMITS.token)
    const form = await readForm(ctx)
    const resource = form.get('resource')
    if (resource !== null && !isOwnResource(resource, publicUrl()))
      throw new OAuthFault('invalid_target', `The resource must be ${publicUrl()}/mcp.`)
    return tokensFor(routes.connections, form)
  })

  post('/oauth/revoke', async (ctx) => {
    await throttle('token', networkAddress(ctx), LIMITS.token)
    const token = required(await readForm(ctx), 'token')
    const ended = /^kin[or]_/.test(token) ? await apiKeys.endFound(token) : undefined
    if (ended) {
      door.forget()
      await securityLog.record(ctx, ended.user_id, 'api_key_ended')
    }
    return undefined
  })
  return router
}

function tokensFor(connections: OAuthRoutes['connections'], form: URLSearchParams) {
  const clientId = required(form, 'client_id')
  switch (required(form, 'grant_type')) {
    case 'authorization_code': {
      const verifier = required(form, 'code_verifier')
      if (!VERIFIER.test(verifier)) throw new OAuthFault('invalid_grant', 'The code_verifier has 43 to 128 characters.')
      const shown = { redirectUri: required(form, 'redirect_uri'), verifier }
      return connections.exchange(required(form, 'code'), clientId, shown)
    }
    case 'refresh_token':
      return connections.refresh(required(form, 'refresh_token'), clientId)
    default:
      throw new OAuthFault('unsupported_grant_type', 'Use authorization_code or refresh_token.')
  }
}

/** Reads a form. A parameter must not occur twice (RFC 6749, section 3.2). @throws OAuthFault invalid_request */
async function readForm(ctx: RouterContext): Promise<URLSearchParams> {
  if (!ctx.is('urlencoded')) throw new OAuthFault('invalid_request', 'Send application/x-www-form-urlencoded.')
  const form = new URLSearchParams((await readRawBody(ctx, MAX_BYTES)).toString())
  if (new Set(form.keys()).size < form.size) throw new OAuthFault('invalid_request', 'Send each parameter once.')
  return form
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name)
  if (!value) throw new OAuthFault('invalid_request', `${name} is missing.`)
  return value
}

/** Sends an error in the form of RFC 6749, section 5.2. */
function sendFault(ctx: RouterContext, error: unknown): void {
  const isLimit = error instanceof Rejection && error.code === 'too_many_requests'
  const isBroken = error instanceof Rejection && ['payload_too_large', 'invalid_input'].includes(error.code)
  if (!(error instanceof OAuthFault || isLimit || isBroken)) throw error
  ctx.status = isLimit ? 429 : 400
  if (isLimit) ctx.set('Retry-After', String(error.fields.retryAfter ?? 60))
  const code = error instanceof OAuthFault ? error.code : isLimit ? 'temporarily_unavailable' : 'invalid_request'
  ctx.body = { error: code, error_description: error.message }
}
