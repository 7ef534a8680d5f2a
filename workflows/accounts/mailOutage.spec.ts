import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { POLICIES } from '../all.ts'
import { EmbeddedEngine } from '../engine/embeddedEngine.ts'
import { deliverMail } from './deliverMail.workflow.ts'

// Vitest does not move the clock of these timers.
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
}))

const OUTAGE_MS = 6 * 60 * 60_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('sends a mail within half a minute of the return of the mail server, after an outage of hours', async () => {
  let isDown = true
  let attempts = 0
  const sendMail = async () => {
    attempts++
    if (isDown) throw new Error('connection refused')
  }
  const engine = new EmbeddedEngine({ activities: { sendMail }, policies: POLICIES, slots: {}, onError: () => {} })
  await engine.start(deliverMail, { mailId: 'mail' })
  await vi.advanceTimersByTimeAsync(OUTAGE_MS)
  const before = attempts
  isDown = false
  await vi.advanceTimersByTimeAsync(30_000)
  expect(attempts).toBe(before + 1)
  await engine.stop()
})
