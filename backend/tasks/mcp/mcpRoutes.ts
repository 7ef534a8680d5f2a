import Router, { type RouterContext } from '@koa/router'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { KeyCaller } from '../../kernel/http/bearer.ts'
import type { AccessControl } from '../../kernel/http/endpoint.ts'
import type { RefuseForeign } from '../../kernel/http/ownOrigin.ts'
import { parseJson, readRawBody } from '../../kernel/http/readRawBody.ts'
import type { McpDeps } from './mcpServer.ts'
import { isTool, TOOL_SCOPES } from './toolScopes.ts'

const MAX_BYTES = 64 * 1024
/** Levels of a message. Recursive code of a parser must not exhaust the stack. */
const MAX_DEPTH = 32

export interface McpRoutes {
  readonly access: Pick<AccessControl, 'authenticateKey' | 'limit' | 'shown'>
  readonly refuseForeign: RefuseForeign
  readonly publicUrl: () => string
  readonly mcp: McpDeps
}

/** Serves the Model Context Protocol. Each request is a message of a program with a key. */
export function mcpRoutes({ access, refuseForeign, publicUrl, mcp }: McpRoutes): Router {
  const router = new Router({ sensitive: true })
  let loading: Promise<ReturnType<typeof import('./mcpServer.ts')['createMcp']>> | undefined
  // The package is large, and few processes serve assistants.
  const load = () => {
    loading ??= import('./mcpServer.ts').then(({ createMcp }) => createMcp(mcp))
    return loading
  }

  router.all('/mcp', async (ctx, next) => {
    refuseForeign(ctx.get('Origin'), ctx.get('Host'))
    await next().catch((error) => {
      const challenge = error instanceof Rejection && challengeOf(error, publicUrl())
      if (challenge) ctx.set('WWW-Authenticate', challenge)
      throw error
    })
  })

  router.all('/mcp', async (ctx) => {
    const key = await access.authenticateKey(ctx)
    if (!key) throw new Rejection('invalid_api_key', 'Connect with OAuth, or send an API key.', { reason: 'missing' })
    const { userId } = key
    ctx.state.keyId = key.id
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST')
      throw new Rejection('method_not_allowed', 'Send messages with POST. There is no stream to open.')
    }
    const message = await readMessage(ctx)
    access.limit(userId, key)
    assertMayCall(key, message)
    await access.shown(userId)
    const left = new AbortController()
    ctx.res.once('close', () => left.abort())
    const request = new Request(`${publicUrl()}/mcp`, {
      method: 'POST',
      headers: headersOf(ctx),
      body: JSON.stringify(message),
      signal: left.signal,
    })
    const { requestId, correlationId } = ctx.state
    const answer = await (await load())(
      request,
      {
        key,
        command: (commandId = derivedId('request', requestId)) => {
          return { commandId, actor: `user:${userId}`, correlationId }
        },
        signal: left.signal,
      },
      message,
    )
    ctx.status = answer.status
    ctx.set('Cache-Control', 'no-store')
    ctx.type = answer.headers.get('Content-Type') ?? 'application/json'
    ctx.body = await answer.text()
  })
  return router
}

/** Scopes that assistants need for all tools. */
const SCOPES = [...new Set(Object.values(TOOL_SCOPES))].join(' ')

/** Returns what tells a client how to get a token, or one with more scopes (RFC 9728); undefined for other errors. */
function challengeOf({ code, fields }: Rejection, publicUrl: string): string | undefined {
  const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="${SCOPES}"`
  if (code === 'key_scope') return `Bearer error="insufficient_scope", ${metadata}`
  if (code !== 'invalid_api_key') return undefined
  return fields.reason === 'missing' ? `Bearer ${metadata}` : `Bearer error="invalid_token", ${metadata}`
}

/** Reads one message. Arrays of messages are of a former revision, and would pass limits that count requests. */
async function readMessage(ctx: RouterContext): Promise<object> {
  if (!ctx.is('json')) throw new Rejection('not_json', 'Send one JSON-RPC message as application/json.')
  const body = await readRawBody(ctx, MAX_BYTES)
  const message = isTooDeep(body) ? undefined : parseJson(body)
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new Rejection('malformed_request', 'Send one JSON-RPC message, no array, at most 32 levels deep.')
  return message
}

/** Returns whether JSON has too many levels. */
function isTooDeep(json: Buffer): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (inText) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) inText = false
    } else if (byte === 0x22) inText = true
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_DEPTH) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

/** Refuses the call of a tool before the protocol does, so that clients learn which scope to ask for. @throws Rejection key_scope */
function assertMayCall({ scopes }: KeyCaller, message: { method?: unknown; params?: { name?: unknown } }): void {
  const name = message.method === 'tools/call' ? message.params?.name : undefined
  if (!isTool(name) || scopes.includes(TOOL_SCOPES[name])) return
  throw new Rejection('key_scope', `${name} needs the scope ${TOOL_SCOPES[name]}.`, {
    required_scope: TOOL_SCOPES[name],
  })
}

/** Headers that the protocol reads. The key stays here. */
function headersOf(ctx: RouterContext): Record<string, string> {
  const named = ['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'].map((name) => [name, ctx.get(name)])
  const own = Object.fromEntries(named.filter(([, value]) => value))
  return { ...own, 'content-type': 'application/json' }
}
