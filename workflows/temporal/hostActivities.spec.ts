import { Context } from '@temporalio/activity'
import { afterEach, expect, it, vi } from 'vitest'
import { hostActivities } from './hostActivities.ts'

afterEach(() => vi.restoreAllMocks())

it('a failure reaches Temporal by its name and code, without its text, which may name a person', async () => {
  const current = { cancellationSignal: new AbortController().signal, info: {} }
  vi.spyOn(Context, 'current').mockReturnValue(current as never)
  const failure = Object.assign(new TypeError('no mail to ada@example.com'), { code: 'EENVELOPE' })
  const told: unknown[] = []
  const activities = { send: () => Promise.reject(failure) }
  const { send } = hostActivities(activities, {}, (error) => void told.push(error))
  const stored = await send!(undefined as never).catch((error: Error) => error)
  expect(stored).toMatchObject({ message: 'TypeError (EENVELOPE)', type: 'TypeError', stack: '' })
  expect(JSON.stringify(stored)).not.toContain('ada')
  expect((stored as Error).cause).toBeUndefined()
  // The log of the process has the details.
  expect(told).toEqual([failure])
})
