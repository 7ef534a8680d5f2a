import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it, onTestFinished } from 'vitest'
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

it('the OpenAPI description names OAuth as its metadata does, for the operations that a connection opens', async () => {
  const kinora = await startTestKinora()
  onTestFinished(() => kinora.close())
  const read = async (address: string) => (await fetch(kinora.url + address)).json()
  const metadata = (await read('/.well-known/oauth-authorization-server')) as Record<string, string & string[]>
  const { paths, components } = (await read('/api/v1/openapi.json')) as {
    paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>
    components: { securitySchemes: { connection: { flows: { authorizationCode: Record<string, object> } } } }
  }
  const { scopes, ...flow } = components.securitySchemes.connection.flows.authorizationCode
  expect(flow).toEqual({
    authorizationUrl: metadata.authorization_endpoint,
    tokenUrl: metadata.token_endpoint,
    refreshUrl: metadata.token_endpoint,
  })
  expect(Object.keys(scopes!)).toEqual(metadata.scopes_supported)
  const doors = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ security }) => security))
  const keyed = doors.flatMap((ways) => ways.find((way) => way.key)?.key ?? [])
  const connected = doors.flatMap((ways) => ways.find((way) => way.connection)?.connection ?? [])
  expect(connected).toEqual(keyed.filter((scope) => metadata.scopes_supported!.includes(scope)))
  expect(paths['/v1/videos']?.post?.security).toEqual([{ key: ['videos:write'] }, { connection: ['videos:write'] }])
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
