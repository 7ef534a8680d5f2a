import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
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
