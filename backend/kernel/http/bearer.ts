import type { Context, Middleware } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import type { Scope } from './contract.ts'

/** The API key that a request is made with. */
export interface KeyCaller {
  readonly id: string
  readonly userId: string
  readonly scopes: readonly Scope[]
  /** Models that it may order; null: all. */
  readonly models: readonly string[] | null
  /** The team that pays its orders, with its purse; null: its user. */
  readonly teamId: string | null
  /** The purse that pays its orders, with its limits in credits for each day and month in UTC. */
  readonly purse: Readonly<{ id: string; perDay?: number; perMonth?: number }>
}

/** Returns what follows `Bearer` in the `Authorization` header, whole or not; undefined without one. */
export const bearerOf = (ctx: Pick<Context, 'get'>): string | undefined =>
  /^Bearer(?!\S) *(.*)$/is.exec(ctx.get('Authorization'))?.[1]

/**
 * Returns whether a path, with or without a query, belongs to the routes for programs, which never read cookies. Takes the
 * address as it was sent, because Koa cannot parse each.
 */
export const isForPrograms = (path = ''): boolean =>
  /^\/(?:v1|mcp|oauth\/(?:token|register|revoke)|\.well-known\/oauth-[a-z-]+)(?:[/?]|$)/.test(path)

/**
 * Middleware that removes the cookies of requests by programs, before anything reads them. No page can then act in the name of
 * a signed-in user through these requests, so they need no cross-site check.
 */
export const withoutCookies: Middleware = async (ctx, next) => {
  if (isForPrograms(ctx.req.url) || bearerOf(ctx) !== undefined) delete ctx.req.headers.cookie
  await next()
}

/** @throws Rejection key_scope */
export function assertScope({ scopes }: Pick<KeyCaller, 'scopes'>, scope: Scope | undefined): void {
  if (scope === undefined) throw new Rejection('key_scope', 'API keys cannot do this. Sign in instead.')
  if (!scopes.includes(scope))
    throw new Rejection('key_scope', `This API key lacks the scope ${scope}.`, { required_scope: scope })
}
