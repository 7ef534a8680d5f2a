import { expect, it, vi } from 'vitest'
import type { WorkflowContext } from '../engine/engine.port.ts'
import { type RecoverVideoActivities, recoverVideo } from './recoverVideo.workflow.ts'

const input = { taskId: 'task', userId: 'user' }

/** Runs the recovery of a task. Returns how often the job was polled, and how often the recovery was ended. */
async function callsWith(recover: RecoverVideoActivities['recover']) {
  const activities = { recover: vi.fn(recover), endRecovery: vi.fn(async () => {}) }
  const context: WorkflowContext<RecoverVideoActivities> = {
    activities,
    now: async () => 0,
    sleep: async () => {},
    signalled: async () => false,
  }
  await recoverVideo.run(context, input)
  return [activities.recover.mock.calls.length, activities.endRecovery.mock.calls.length]
}

it('polls a job again after its provider was unreachable', async () => {
  const unreachable = vi.fn(async () => 'over' as const).mockRejectedValueOnce(new Error('unreachable'))
  expect(await callsWith(unreachable)).toEqual([2, 1])
})

it('ends after a day if the provider stays unreachable', async () => {
  expect(await callsWith(() => Promise.reject(new Error('unreachable')))).toEqual([48, 1])
})
