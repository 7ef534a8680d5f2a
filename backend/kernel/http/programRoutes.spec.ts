import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { programErrorOf } from './programErrors.ts'
import { programRoutes } from './programRoutes.ts'

/** Headers of requests that pages may send without permission, and one that browsers set themselves. */
const WITHOUT_PERMISSION = ['accept', 'accept-language', 'content-language', 'user-agent']

/** Returns the names in a header of the answer to a request of a page of another site. */
async function named(header: string, method: string): Promise<string[]> {
  const [open] = programRoutes({} as never, {} as never, () => {}, [], [])
  const sent = new Headers()
  const set = (values: Record<string, string>) => {
    for (const [name, value] of Object.entries(values)) sent.set(name, value)
  }
  await open!({ req: { url: '/v1/videos' }, method, set, state: {} } as never, async () => {})
  return (sent.get(header) ?? '').toLowerCase().split(', ')
}

it("lets OpenAI's client in a page of another site send all of its headers", async () => {
  const names: string[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    names.push(...new Headers(init?.headers).keys())
    return Response.json({ id: 'video' })
  }
  const client = new OpenAI({ apiKey: 'kin_test', baseURL: 'https://kinora.test/v1', fetch })
  await client.post('/videos', { body: { prompt: 'A fox' }, idempotencyKey: 'order' })
  const allowed = await named('Access-Control-Allow-Headers', 'OPTIONS')
  // The Fetch standard excludes Authorization from the wildcard.
  const isAllowed = (name: string) => allowed.includes(name) || (allowed.includes('*') && name !== 'authorization')
  expect(names).toEqual(expect.arrayContaining(['authorization', 'x-stainless-retry-count']))
  expect(names.filter((name) => !WITHOUT_PERMISSION.includes(name) && !isAllowed(name))).toEqual([])
})

it('lets it read whether to repeat a call', async () => {
  const { headers } = programErrorOf(new Rejection('video_not_ready', 'Not yet.'), 409)
  const readable = await named('Access-Control-Expose-Headers', 'POST')
  expect(readable).toEqual(expect.arrayContaining(Object.keys(headers).map((name) => name.toLowerCase())))
  expect(readable).toContain('retry-after')
})
