import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { readOperations } from '../testing/operations.ts'
import { startTestKinora } from '../testing/testKinora.ts'

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
