import { setImmediate as turn } from 'node:timers/promises'
import type { Context } from 'koa'
import { expect, it, vi } from 'vitest'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { createBackground } from '../background.ts'
import { createAttempts } from './limits.ts'

it('a refused attempt is answered before it is recorded, which takes longer for a known account', async () => {
  const recorded = Promise.withResolvers<void>()
  const recordThrottle = vi.fn((_: Context, _userId: string | null) => recorded.promise)
  const take = () => Promise.reject(new Rejection('too_many_requests', 'Too many attempts.'))
  const background = createBackground(() => {})
  const attempts = createAttempts({ take, giveBack: async () => {} }, { recordThrottle }, background.run, true)
  const answers: string[] = []
  const attempt = async (userId: string | null) => {
    const ctx = { ip: '203.0.113.9' } as Context
    void attempts.take(ctx, 'sign in', 'who@kinora.test', userId).catch(({ code }) => answers.push(code))
    await turn()
  }
  await attempt('user')
  expect(answers).toEqual(['too_many_requests'])
  await attempt('user')
  await attempt(null)
  expect(answers).toHaveLength(3)
  // One record of an account and a network at a time.
  expect(recordThrottle.mock.calls.map(([, userId]) => userId)).toEqual(['user', null])
  recorded.resolve()
  await background.settled()
  await attempt('user')
  expect(recordThrottle).toHaveBeenCalledTimes(3)
})
