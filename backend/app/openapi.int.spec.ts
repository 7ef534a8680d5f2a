import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { readOperations } from '../testing/operations.ts'
import { startTestKinora } from '../testing/testKinora.ts'

/** Collections of version 2.1, as far as Postman needs it: https://schema.postman.com */
const Named = z.strictObject({ key: z.string(), value: z.string() })
const Part = z.strictObject({
  ...{ key: z.string(), disabled: z.boolean(), type: z.enum(['text', 'file']) },
  ...{ value: z.optional(z.string()), src: z.optional(z.array(z.string())) },
})
const Request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
  auth: z.optional(z.strictObject({ type: z.literal('noauth') })),
  header: z.array(z.strictObject({ ...Named.shape, disabled: z.optional(z.boolean()) })),
  url: z.strictObject({
    raw: z.string().regex(/^\{\{url\}\}\/[\w/:.-]+$/),
    host: z.tuple([z.literal('{{url}}')]),
    path: z.array(z.string().min(1)),
    query: z.optional(z.array(z.strictObject({ ...Named.shape, disabled: z.boolean() }))),
    variable: z.array(Named),
  }),
  body: z.optional(
    z.discriminatedUnion('mode', [
      z.strictObject({
        mode: z.literal('raw'),
        raw: z.string(),
        options: z.object({ raw: z.object({ language: z.literal('json') }) }),
      }),
      z.strictObject({ mode: z.literal('formdata'), formdata: z.array(Part), raw: z.undefined().optional() }),
    ]),
  ),
})
const Collection = z.strictObject({
  info: z.strictObject({
    ...{ name: z.string(), description: z.string() },
    schema: z.literal('https://schema.getpostman.com/json/collection/v2.1.0/collection.json'),
  }),
  auth: z.strictObject({
    type: z.literal('bearer'),
    bearer: z.tuple([z.strictObject({ ...Named.shape, type: z.literal('string') })]),
  }),
  variable: z.array(Named),
  item: z.array(
    z.strictObject({
      name: z.string(),
      item: z.array(z.strictObject({ name: z.string().min(1), request: Request })).min(1),
    }),
  ),
})

/** Those below `/v1` come first, in their order. */
const byFolder = (a: string, b: string) => Number(b.includes(' /v1/')) - Number(a.includes(' /v1/'))

it('the OpenAPI description has no error and no warning by the recommended rules of Redocly', async () => {
  const kinora = await startTestKinora()
  const source = await (await fetch(`${kinora.api}/openapi.json`)).text()
  await kinora.close()
  // The server's address is the loopback one of this test.
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-server-example.com': 'off' } })
  const problems = await lintFromString({ source, config })
  expect(problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`)).toEqual([])
  const ids = [...source.matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

it('the Postman collection has each operation that takes a key, and all below /v1', async () => {
  const kinora = await startTestKinora()
  const { key } = await kinora.services.apiKeys.create((await kinora.newUser()).userId, {
    ...{ name: 'Postman', scopes: ['videos:read'], expires_in_days: null },
  })
  const answer = await fetch(`${kinora.api}/postman.json`)
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="kinora.postman_collection.json"')
  const collection = Collection.parse(await answer.json())
  const { paths } = (await (await fetch(`${kinora.api}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { security: object[] }>>
  }
  const expected = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security }]) => {
      const isIn = path.startsWith('/v1/') || security.some((way) => 'key' in way)
      const at = (path.startsWith('/v1/') ? path : `/api/v1${path}`).replaceAll(/\{(\w+)\}/g, ':$1')
      return isIn ? [`${method.toUpperCase()} ${at}`] : []
    }),
  )
  const requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request))
  expect(requests.map(({ method, url }) => `${method} /${url.path.join('/')}`)).toEqual(expected.toSorted(byFolder))
  expect(collection.variable).toEqual([
    { key: 'url', value: kinora.url },
    { key: 'key', value: '' },
  ])
  // A request is sent as Postman would send it.
  const list = requests.find(({ url }) => url.raw === '{{url}}/v1/models')
  const headers = { authorization: `Bearer ${key}` }
  expect((await fetch(list!.url.raw.replace('{{url}}', kinora.url), { headers })).status).toBe(200)
  const revoke = requests.find(({ url }) => url.raw.endsWith('/keys/revoke'))
  expect([revoke?.auth, JSON.parse(revoke?.body?.raw ?? '')]).toEqual([{ type: 'noauth' }, { token: '' }])
  await kinora.close()
})

it('no answer has a part of a text that the server should have resolved', async () => {
  const kinora = await startTestKinora()
  const user = await kinora.newUser()
  const reads = (await readOperations(kinora.api)).filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  const answers = await Promise.all(
    reads.map(async ({ path }) => [path, await (await user.call('GET', path as `/${string}`)).text()]),
  )
  await kinora.close()
  expect(answers.length).toBeGreaterThan(10)
  expect(answers.filter(([, text]) => text?.includes('<!--'))).toEqual([])
})
