import { expect, it, vi } from 'vitest'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { ToolCall, ToolDeps } from './mcp/tools.ts'
import { createTools } from './mcp/tools.ts'
import { serveV1, type V1Routes } from './v1/v1Routes.ts'

vi.mock('./v1/readOrder.ts', () => ({
  isLarge: () => false,
  withOrder: (_: unknown, use: (order: object) => unknown) => use({ fields: {}, picture: undefined }),
}))

/** What `/v1` and MCP need when the roster does not show yet that the caller is in the team that pays. */
const routes = {
  works: { readOwn: () => Promise.reject(new Rejection('forbidden', 'This task belongs to someone else.')) },
  orders: {
    read: () => ({ expected_credits: 30 }),
    view: async ({ id }: { readonly id: string }) => ({ id, created_at: 0 }),
  },
  tasks: { generate: async () => ({ row: { id: 'film' }, isRepeated: false }) },
  uploads: { acceptWith: (...[, , , , use]: readonly ((store: unknown) => unknown)[]) => use?.(() => {}) },
  files: {},
  repeats: { subjectOf: async () => ({ id: 'film', isRetry: false }) },
}
const key = { id: 'key', userId: 'ada', teamId: 'team' }

it('answers an order of /v1 whose member the roster does not show yet', async () => {
  let create: ((call: object) => unknown) | undefined
  const serve = ({ method, path }: { readonly method: string; readonly path: string }, handler: typeof create) => {
    if (`${method} ${path}` === 'POST /videos') create = handler
  }
  serveV1(serve as unknown as Serve, routes as unknown as V1Routes)
  const ctx = { get: () => '', set: () => {} }
  expect(await create?.({ userId: 'ada', key, ctx })).toMatchObject({ id: 'film' })
})

it('answers an order of an assistant whose member the roster does not show yet', async () => {
  const call = { key, signal: new AbortController().signal } as unknown as ToolCall
  const order = await createTools(routes as unknown as ToolDeps, call).prepare({ max_credits: 30 } as never)
  expect('place' in order && (await order.place())).toMatchObject({ id: 'film' })
})
