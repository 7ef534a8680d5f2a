import { expect, it } from 'vitest'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import { createSettleIfEnded } from './settleIfEnded.ts'

const settling = (error: Error) => {
  const handle = { peek: async () => ({ state: { status: 'succeeded' } }) } as unknown as Handle
  const settleCredits = async () => Promise.reject(error)
  return createSettleIfEnded(handle, { settleCredits, releaseSlot: async () => {} })({ taskId: 'task', userId: 'user' })
}

it('leaves a task with a quarantined account to its workflow, which retries with backoff', async () => {
  expect(await settling(new StreamBroken('creditAccount-user'))).toBe(false)
})

it('fails during an outage', async () => {
  await expect(settling(new Error('database unreachable'))).rejects.toThrow('database unreachable')
})
