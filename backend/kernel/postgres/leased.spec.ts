import { expect, it, vi } from 'vitest'
import { leased } from './leased.ts'
import type { Leases } from './leases.ts'

it('a lease that is lost before its work begins starts nothing and does not delay the stop', async () => {
  const run = async (_: string, __: AbortSignal, work: (held: AbortSignal, token: number) => Promise<void>) =>
    work(AbortSignal.abort(), 1)
  const start = vi.fn(() => ({ started: Promise.resolve(), stop: async () => {} }))
  await leased({ run } as unknown as Leases, 'triggers', start).stop()
  expect(start).not.toHaveBeenCalled()
})
