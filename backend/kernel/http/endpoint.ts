import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import * as z from 'zod/mini'
import type { CommandContext } from '../eventsourcing/command.ts'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { derivedId } from '../eventsourcing/pure/eventHash.ts'
import { assertScope, type KeyCaller } from './bearer.ts'
import { type Access, type Endpoint, OPERATOR_ROLES, type OperatorRole, type Params } from './contract.ts'
import { ValidationError } from './problemDetails.ts'
import { readJson } from './readRawBody.ts'

type Schema = z.ZodMiniType
type Reply<A extends Schema> = z.input<A> | Promise<z.input<A>>

/** A parsed request, as passed to a handler. */
export interface Call<Path extends string, Body, Query, Caller> {
  readonly body: Body
  readonly query: Query
  readonly params: Params<Path>
  /** The id of the signed-in user or of the API key's, if the endpoint's access is `user` or `key`; if there is one, `visitor`. */
  readonly userId: Caller extends 'user' | 'key' ? string : Caller extends 'visitor' ? string | undefined : undefined
  /** The API key of the request; undefined if a session made it. */
  readonly key: Caller extends 'key' ? KeyCaller : KeyCaller | undefined
  /** The signed-in operator, if the endpoint's access is `operator`. */
  readonly operator: Caller extends 'operator' ? OperatorCaller : undefined
  readonly ctx: RouterContext
  /** Returns a command's context. `commandId` defaults to one per request; pass one that survives retries. */
  command(commandId?: string): CommandContext
}

/** The operator of a request. */
export interface OperatorCaller {
  readonly id: string
  readonly name: string
  readonly role: OperatorRole
}

export interface AccessControl {
  /** Returns the signed-in user's id; undefined without a session. */
  readonly authenticate: (ctx: RouterContext) => Promise<string | undefined>
  /** Returns the API key of a request; undefined without one. @throws Rejection invalid_api_key */
  readonly authenticateKey: (ctx: RouterContext) => Promise<KeyCaller | undefined>
  /** Returns the signed-in operator; undefined without a session. */
  readonly operatorOf: (ctx: RouterContext) => Promise<OperatorCaller | undefined>
  /** Refuses a suspended account. @throws Rejection account_suspended */
  readonly assertActive: (userId: string) => Promise<void>
  /** Throws when the user, or the user's API key, exceeds the rate limit. Called after the input is validated. */
  readonly limit: (userId: string, key: KeyCaller | undefined) => void
  /** Waits a moment for read models that do not include the user's last write yet. */
  readonly shown: (userId: string) => Promise<void>
}

const MAX_BYTES = 64 * 1024

/**
 * Returns a function that binds endpoints to handlers. Each route authenticates the caller, validates query and body,
 * and sends the handler's answer. Bound endpoints are added to `served`.
 * @example
 * const serve = serveWith(router, access)
 * serve(contract.status, () => ({ ...settings, support_email: 'help@example.com' }))
 */
export function serveWith(router: Router, access: AccessControl, served: Endpoint[] = []) {
  return <P extends string, B extends Schema, Q extends Schema, A extends Schema, Caller extends Access>(
    endpoint: Endpoint<P, B, Q, A, Caller>,
    handler: (call: Call<P, z.output<B>, z.output<Q>, Caller>) => Reply<A>,
  ): void => {
    if (endpoint.access === 'operator' && endpoint.method !== 'GET' && !endpoint.role)
      throw new Error(`${endpoint.method} ${endpoint.path}: an operator's write must name its role`)
    served.push(endpoint)
    const method = endpoint.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    router[method](endpoint.path, async (ctx) => {
      const { userId, key, operator } = await callerOf(access, endpoint, ctx)
      ctx.state.keyId = key?.id
      ctx.state.operator = operator?.name
      const query = endpoint.query ? parseInput(endpoint.query, ctx.query) : undefined
      const body = endpoint.body ? parseInput(endpoint.body, await bodyOf(ctx, endpoint)) : undefined
      if (userId) access.limit(userId, key)
      if (userId && endpoint.method === 'GET') await access.shown(userId)
      // Answers are private, unless a handler says otherwise.
      ctx.set('Cache-Control', 'no-store')
      const answer = await handler({
        body: body as z.output<B>,
        query: query as z.output<Q>,
        params: ctx.params as Params<P>,
        userId: userId as Call<P, B, Q, Caller>['userId'],
        key: key as Call<P, B, Q, Caller>['key'],
        operator: operator as Call<P, B, Q, Caller>['operator'],
        ctx,
        command: (commandId = derivedId('request', ctx.state.requestId)) => ({
          commandId,
          actor: userId ? `user:${userId}` : 'system',
          correlationId: ctx.state.correlationId,
        }),
      })
      if (ctx.respond === false || ctx.body || ctx.status === 304) return
      ctx.status = endpoint.status ?? 200
      if (endpoint.answer) ctx.body = answer
    })
  }
}

export type Serve = ReturnType<typeof serveWith>

/** Returns whether an operator with a role may do what another role may do. */
const includes = (role: OperatorRole, other: OperatorRole) =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(other)

/**
 * Returns who calls, if the endpoint asks.
 * @throws Rejection unauthenticated, invalid_api_key, key_scope, account_suspended, operator_role
 */
async function callerOf(
  { authenticate, authenticateKey, operatorOf, assertActive }: AccessControl,
  { access, role = 'viewer', scope, unlessSuspended }: Endpoint,
  ctx: RouterContext,
): Promise<{ userId?: string; key?: KeyCaller; operator?: OperatorCaller }> {
  if (access === 'public') return {}
  if (access === 'operator') {
    const operator = await operatorOf(ctx)
    if (!operator) throw new Rejection('unauthenticated', 'Please sign in as the operator.')
    if (includes(operator.role, role)) return { operator }
    throw new Rejection('operator_role', `This needs the role ${role}; yours is ${operator.role}.`, { role })
  }
  const key = await authenticateKey(ctx)
  if (key) {
    assertScope(key, scope)
    return { userId: key.userId, key }
  }
  if (access === 'key')
    throw new Rejection('invalid_api_key', 'Send an API key: Authorization: Bearer kin_…', { reason: 'missing' })
  const userId = await authenticate(ctx)
  if (!userId) {
    if (access === 'visitor') return {}
    throw new Rejection('unauthenticated', 'Please sign in.')
  }
  if (unlessSuspended) await assertActive(userId)
  return { userId }
}

/** Parses the input of a request. @throws ValidationError */
export function parseInput<S extends Schema>(schema: S, input: unknown): z.output<S> {
  const result = z.safeParse(schema, input)
  if (!result.success) throw ValidationError.from(result.error)
  return result.data
}

async function bodyOf(
  ctx: RouterContext,
  { body: schema, plainText, maxBytes = MAX_BYTES }: Endpoint,
): Promise<unknown> {
  // A schema with a default accepts a request without a body.
  const isEmpty = !ctx.get('Transfer-Encoding') && (ctx.request.length ?? 0) === 0
  if (isEmpty && schema && z.safeParse(schema, undefined).success) return undefined
  const mediaType = ctx.get('Content-Type').replace(/;.*/s, '').trim().toLowerCase()
  if (mediaType !== 'application/json' && !(plainText && mediaType === 'text/plain'))
    throw new Rejection('not_json', 'Send the body as application/json.')
  if (ctx.get('Content-Encoding')) throw new Rejection('not_json', 'Send the body without compression.')
  return readJson(ctx, maxBytes)
}
