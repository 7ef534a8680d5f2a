import { beforeEach, describe, expect, it, vi } from 'vitest'
import { $credits, limitsOf, loadCredits, setCredits } from './credits.ts'

/** A server whose answers the test gives, in its own order. */
function heldServer() {
  const answers: ((remaining: number) => void)[] = []
  vi.stubGlobal('fetch', () => {
    return new Promise<Response>((resolve) => {
      answers.push((remaining_credits) => {
        const more = { total_credits: 300, current_tier: 'pro', next_reset_date: null }
        resolve(Response.json({ remaining_credits, ...more }))
      })
    })
  })
  return answers
}

beforeEach(() => $credits.set(null))

describe('the limits of a plan', () => {
  it.each([
    ['active', 'pro'],
    ['cancelled', 'pro'],
    ['suspended', 'free'],
  ])('that is %s are those of %s', async (current_status, limits) => {
    const plan = { remaining_credits: 70, total_credits: 300, current_tier: 'pro', current_status }
    vi.stubGlobal('fetch', async () => Response.json({ ...plan, next_reset_date: null }))
    await loadCredits()
    setCredits(40, 300)
    expect(limitsOf($credits.get())).toBe(limits)
  })

  it('are not known before it is loaded', () => expect(limitsOf(null)).toBeNull())
})

describe('the balance', () => {
  it('is that of the latest load, whatever the order of the answers', async () => {
    const answers = heldServer()
    const loads = [loadCredits(), loadCredits()]
    answers[1]!(40)
    await loads[1]
    answers[0]!(70)
    await loads[0]
    expect($credits.get()).toMatchObject({ remaining: 40, tier: 'pro' })
  })

  it('keeps a message of the server that arrives during a load', async () => {
    const answers = heldServer()
    const load = loadCredits()
    setCredits(40, 300)
    answers[0]!(70)
    await load
    expect($credits.get()).toMatchObject({ remaining: 40, tier: 'pro' })
  })
})
