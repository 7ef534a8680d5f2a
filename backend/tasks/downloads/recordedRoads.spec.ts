import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, it } from 'vitest'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { type LibraryRoutes, serveLibrary } from '../library/libraryRoutes.ts'
import { type MediaRoutes, serveMedia } from '../mediaRoutes.ts'
import { serveV1, type V1Routes } from '../v1/v1Routes.ts'

type Handler = (call: object) => Promise<unknown>

const handlers = new Map<string, Handler>()
const serve = ({ method, path }: { readonly method: string; readonly path: string }, handler: Handler) =>
  void handlers.set(`${method} ${path}`, handler)
const call = (route: string, more: object) => handlers.get(route)?.({ userId: 'ada', ...more })

/** The user and the video of each recorded download. */
let recorded: unknown[]
beforeEach(() => {
  recorded = []
  const works = {
    readFinished: async (_: string, id: string) => ({ id }),
    readFinishedShown: async (_: string, id: string) => ({ id }),
    view: async () => ({ prompt: 'A cat', created_at: '2026-01-01T00:00:00.000Z' }),
  }
  const read = () => Readable.from([Buffer.from('film')])
  const routes = {
    ...{ works, tasks: {}, attached: { marks: {} } },
    orders: { readOwn: async (_: string, id: string) => ({ id, status: 'Success' }) },
    files: { media: { size: async () => 4, read }, copies: { film: async () => 'film', poster: async () => 'poster' } },
    downloads: { record: async (...download: unknown[]) => void recorded.push(download) },
  }
  serveLibrary(serve as unknown as Serve, routes as unknown as LibraryRoutes)
  serveV1(serve as unknown as Serve, routes as unknown as V1Routes)
  serveMedia(serve as unknown as Serve, routes as unknown as MediaRoutes)
})

it('records each video of an archive as downloaded', async () => {
  const ctx = { method: 'GET', set: () => {}, type: '', body: Readable.from([]) }
  await call('GET /videos/archive', { query: { ids: ['one', 'two'] }, ctx })
  await buffer(ctx.body)
  expect(recorded).toEqual([
    ['ada', 'one'],
    ['ada', 'two'],
  ])
})

it('records the content of a video as downloaded by its program, and no thumbnail', async () => {
  const ctx = { method: 'GET', fresh: false, set: () => {}, get: () => '' }
  for (const variant of ['thumbnail', 'video'])
    await call('GET /videos/:id/content', { params: { id: 'one' }, query: { variant }, ctx })
  expect(recorded).toEqual([['ada', 'one']])
})

it.each(['GET /videos/:id/content', 'GET /videos/download/:id'])(
  'records no download of a program that asks for the headers of %s',
  async (route) => {
    const ask = (method: string) => {
      const ctx = { method, fresh: false, set: () => {}, get: () => '' }
      return call(route, { params: { id: 'one' }, query: { variant: 'video' }, ctx })
    }
    await ask('HEAD')
    expect(recorded).toEqual([])
    await ask('GET')
    expect(recorded).toEqual([['ada', 'one']])
  },
)
