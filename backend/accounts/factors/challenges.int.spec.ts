import type { Context } from 'koa'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import type { Cookies } from '../sessions/cookies.ts'
import { createChallenges } from './challenges.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

let clock = 0
const jar = new Map<unknown, string>()
const cookies = {
  setChallenge: (ctx: Context, value: string) => jar.set(ctx, value),
  challenge: (ctx: Context) => jar.get(ctx),
} as unknown as Cookies
const browser = () => ({}) as Context
const challenges = () => createChallenges(db.database, Buffer.alloc(32, 1), cookies, () => clock)
beforeEach(() => {
  clock = Date.now()
})

describe('a challenge of a passkey', () => {
  it('is accepted once, also when it is answered twice at the same time', async () => {
    const [mine, { issue, accept }] = [browser(), challenges()]
    const challenge = issue(mine, 'session')
    const accepted = await Promise.all([1, 2, 3].map(() => accept(mine, challenge, 'session')))
    expect(accepted.filter(Boolean)).toHaveLength(1)
    expect(await accept(mine, challenge, 'session')).toBe(false)
  })

  it('is rejected in another browser, in another session, and if another one was issued since', async () => {
    const [mine, other, { issue, accept }] = [browser(), browser(), challenges()]
    const challenge = issue(mine, 'session')
    issue(other, 'session')
    expect(await accept(other, challenge, 'session')).toBe(false)
    expect(await accept(browser(), challenge, 'session')).toBe(false)
    expect(await accept(mine, challenge, 'another session')).toBe(false)
    expect(await accept(mine, challenge)).toBe(false)
    issue(mine, 'session')
    expect(await accept(mine, challenge, 'session')).toBe(false)
  })

  it('expires after five minutes', async () => {
    const [mine, { issue, accept }] = [browser(), challenges()]
    const challenge = issue(mine)
    clock += 5 * 60_000 + 1
    expect(await accept(mine, challenge)).toBe(false)
  })
})
