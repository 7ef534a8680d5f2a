import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import * as z from 'zod/mini'
import type { CommandContext } from '../eventsourcing/command.ts'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { derivedId } from '../eventsourcing/pure/eventHash.ts'
import type { Endpoint, Params, Who } from './contract.ts'
import { ValidationError } from './problemDetails.ts'
import { readRawBody } from './readRawBody.ts'

type Schema = z.ZodMiniType
type Reply<A extends Schema> = z.input<A> | Promise<z.input<A>>

/** A parsed call, as a handler gets it. */
export interface Call<Path extends string, Body, Query, Access> {
  readonly body: Body
  readonly query: Query
  readonly params: Params<Path>
  /** The signed-in user's id; only where the endpoint asks for one. */
  readonly userId: Access extends 'user' ? string : undefined
  readonly ctx: RouterContext
  /** The context of a command that this call gives; `commandId` is the request's unless one is known that survives retries. */
  command(commandId?: string): CommandContext
}

export interface Gate {
  /** The id of the user who calls, if someone is signed in. */
  readonly authenticate: (ctx: RouterContext) => Promise<string | undefined>
  /** Whether the operator calls. */
  readonly isOperator: (ctx: RouterContext) => Promise<boolean>
  /** Throws when the user calls too often. Asked once the input is known to be good. */
  readonly limit: (userId: string) => void
}

const MAX_BYTES = 64 * 1024

/** Binds declared endpoints to handlers: reads the body and query by their schemas, and asks who calls. `served` lists them. */
export function serveWith(router: Router, { authenticate, isOperator, limit }: Gate, served: Endpoint[] = []) {
  return <P extends string, B extends Schema, Q extends Schema, A extends Schema, Access extends Who>(
    endpoint: Endpoint<P, B, Q, A, Access>,
    handler: (call: Call<P, z.output<B>, z.output<Q>, Access>) => Reply<A>,
  ): void => {
    served.push(endpoint as unknown as Endpoint)
    const method = endpoint.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    router[method](endpoint.path, async (ctx) => {
      const userId = endpoint.access === 'user' ? await authenticate(ctx) : undefined
      if (endpoint.access === 'user' && !userId) throw new Rejection('unauthenticated', 'Please sign in.')
      if (endpoint.access === 'operator' && !(await isOperator(ctx)))
        throw new Rejection('unauthenticated', 'Please sign in as the operator.')
      const query = endpoint.query ? parsed(endpoint.query, ctx.query) : undefined
      const body = endpoint.body ? parsed(endpoint.body, await bodyOf(ctx, endpoint)) : undefined
      if (userId) limit(userId)
      const answer = await handler({
        body,
        query,
        params: ctx.params,
        userId,
        ctx,
        command: (commandId = derivedId('request', ctx.state.requestId)) => ({
          commandId,
          actor: userId ? `user:${userId}` : 'system',
          correlationId: ctx.state.correlationId,
        }),
      } as unknown as Call<P, z.output<B>, z.output<Q>, Access>)
      if (ctx.respond === false || ctx.body) return
      ctx.status = endpoint.status ?? 200
      ctx.set('Cache-Control', 'no-store')
      if (endpoint.answer) ctx.body = answer
    })
  }
}

export type Serve = ReturnType<typeof serveWith>

function parsed<S extends Schema>(schema: S, input: unknown): z.output<S> {
  const result = z.safeParse(schema, input)
  if (!result.success) throw ValidationError.from(result.error)
  return result.data
}

async function bodyOf(ctx: RouterContext, { body: schema, plainText }: Endpoint): Promise<unknown> {
  // No body at all is fine where the schema has something to put in its place.
  const isEmpty = !ctx.get('Transfer-Encoding') && (ctx.request.length ?? 0) === 0
  if (isEmpty && schema && z.safeParse(schema, undefined).success) return undefined
  const mediaType = ctx.get('Content-Type').split(';', 1)[0]!.trim().toLowerCase()
  if (mediaType !== 'application/json' && !(plainText && mediaType === 'text/plain'))
    throw new Rejection('not_json', 'Send the body as application/json.')
  if (ctx.get('Content-Encoding')) throw new Rejection('not_json', 'Send the body as it is, not compressed.')
  const text = (await readRawBody(ctx, MAX_BYTES)).toString()
  try {
    // With nothing at all, each field is what is missing.
    return JSON.parse(text || '{}')
  } catch {
    throw new ValidationError([{ path: '', code: 'invalid_json' }])
  }
}
