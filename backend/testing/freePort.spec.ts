import { expect, it } from 'vitest'
import { freePort } from './freePort.ts'

it('returns ports that the system does not give to connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort))
  expect(Math.max(...ports)).toBeLessThan(32_768)
})
