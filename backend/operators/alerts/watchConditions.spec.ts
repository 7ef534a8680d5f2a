import { expect, it } from 'vitest'
import { watchConditions } from './watchConditions.ts'

it('raises and clears the alerts of other conditions although one cannot be checked', async () => {
  const told: string[] = []
  const alerts = {
    raise: async (code: string) => void told.push(`${code} raised`),
    clear: async (code: string) => void told.push(`${code} cleared`),
  }
  const conditions = [
    { code: 'unknown', find: async () => Promise.reject(new Error('the disk does not answer')) },
    { code: 'wrong', find: async () => 'Something is wrong.' },
    { code: 'right', find: async () => undefined },
  ]
  await expect(watchConditions(conditions, alerts)).rejects.toThrow('conditions not checked: unknown')
  expect(told).toEqual(['wrong raised', 'right cleared'])
})
