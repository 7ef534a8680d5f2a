import { expect, it } from 'vitest'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { findLostJob } from './findLostJob.ts'

const REQUEST = { prompt: 'A lost cat', cameraMovements: [], references: [], duration: 5 } as unknown as RenderRequest

/** Looks for the only job of the engine while as many queries fail as given. */
function findDespite(faults: { free?: number; adopt?: number }) {
  const left = { free: 0, adopt: 0, ...faults }
  const failing = async <T>(name: keyof typeof left, answer: T) => {
    if (left[name]-- > 0) throw new Error('the database is away')
    return answer
  }
  return findLostJob(REQUEST, {
    sentAt: 0,
    attempts: 3,
    intervalMs: 1,
    signal: new AbortController().signal,
    list: async () => [{ id: 'job', status: 'queued', prompt: 'A lost cat', created_at: 1 }],
    claims: { free: (ids) => failing('free', [...ids]), adopt: () => failing('adopt', true) },
  })
}

it.each([{ free: 1 }, { free: 2 }, { adopt: 1 }])('finds a lost job despite %j failed queries', async (faults) => {
  expect(await findDespite(faults)).toEqual({ jobId: 'job' })
})

it('finds none while every query fails', async () => {
  expect(await findDespite({ free: 3 })).toBe('unclear')
})
