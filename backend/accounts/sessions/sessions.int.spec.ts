import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createSessions, deleteOldSessions, type Sessions, type SessionTokens } from './sessions.ts'

let db: TemporaryDatabase
let clock: number
let sessions: Sessions
let userId: string
const secret = 's'.repeat(32)

beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1)
  sessions = createSessions(db.database, secret, () => clock)
  userId = crypto.randomUUID()
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at) values ($1, $2, $2, 'A', 'en', '', now())`,
    [userId, `${userId}@kinora.test`],
  )
})

const SECOND = 1000
const DAY = 24 * 3600 * SECOND
const signedIn = async (tokens: SessionTokens | undefined) =>
  (await sessions.authenticate(sessions.verify(tokens?.access)))?.userId === userId

describe('a session', () => {
  it('accepts its access token for eight hours', async () => {
    const tokens = await sessions.open(userId, 'spec')
    clock += 8 * 3600 * SECOND
    expect(await signedIn(tokens)).toBe(true)
    clock += SECOND
    expect(await signedIn(tokens)).toBe(false)
  })

  it('is refused when its token expires after it was verified', async () => {
    const claim = sessions.verify((await sessions.open(userId, 'spec')).access)
    expect((await sessions.authenticate(claim))?.userId).toBe(userId)
    clock += 8 * 3600 * SECOND + SECOND
    expect(await sessions.authenticate(claim)).toBeUndefined()
    expect(sessions.issuedFor(claim)).toBeUndefined()
  })

  it('is looked up once a second', async () => {
    const tokens = await sessions.open(userId, 'spec')
    expect(await signedIn(tokens)).toBe(true)
    await db.pool.query('update session set ended_at = now() where user_id = $1', [userId])
    clock += SECOND - 1
    expect(await signedIn(tokens)).toBe(true)
    clock += 1
    expect(await signedIn(tokens)).toBe(false)
  })

  it('is refused at once by the process that ends it', async () => {
    const tokens = await sessions.open(userId, 'spec')
    expect(await signedIn(tokens)).toBe(true)
    await sessions.end({ access: tokens.access, refresh: undefined })
    expect(await signedIn(tokens)).toBe(false)
  })

  it('is refused by another process within a second, also if the notification is lost', async () => {
    const other = createSessions(db.database, secret, () => clock)
    const [lost, told] = [await sessions.open(userId, 'spec'), await sessions.open(userId, 'spec')]
    const isOpen = async ({ access }: SessionTokens) => (await other.authenticate(other.verify(access))) !== undefined
    expect(await Promise.all([lost, told].map(isOpen))).toEqual([true, true])
    await db.pool.query('update session set ended_at = now() where user_id = $1', [userId])
    other.forget([told.access.slice(0, 36)])
    expect(await Promise.all([lost, told].map(isOpen))).toEqual([true, false])
    clock += SECOND
    expect(await isOpen(lost)).toBe(false)
  })

  it('rotates the refresh token, and ends if the previous one is used after 30 seconds', async () => {
    const first = await sessions.open(userId, 'spec')
    const second = await sessions.refresh(first.refresh)
    expect(second?.refresh).not.toBe(first.refresh)
    clock += 30 * SECOND
    expect(await sessions.refresh(first.refresh)).toBeUndefined()
    expect(await Promise.all([signedIn(first), signedIn(second)])).toEqual([false, false])
    expect(await sessions.refresh(second?.refresh)).toBeUndefined()
  })

  it('returns the current token for the previous one within 30 seconds', async () => {
    const first = await sessions.open(userId, 'spec')
    const second = await sessions.refresh(first.refresh)
    clock += 29 * SECOND
    const again = await sessions.refresh(first.refresh)
    expect(again?.refresh).toBe(second?.refresh)
    expect(await signedIn(again)).toBe(true)
  })

  it('ends immediately when a refresh token from two rotations ago is used', async () => {
    const first = await sessions.open(userId, 'spec')
    const second = await sessions.refresh(first.refresh)
    clock += 30 * SECOND
    const third = await sessions.refresh(second?.refresh)
    expect(await sessions.refresh(first.refresh)).toBeUndefined()
    expect(await signedIn(third)).toBe(false)
  })

  it('is not rotated twice within 30 seconds, so late tabs still use the previous token', async () => {
    const first = await sessions.open(userId, 'spec')
    const second = await sessions.refresh(first.refresh)
    const hasty = await sessions.refresh(second?.refresh)
    const late = await sessions.refresh(first.refresh)
    expect([hasty?.refresh, late?.refresh]).toEqual([second?.refresh, second?.refresh])
    clock += 30 * SECOND
    expect((await sessions.refresh(second?.refresh))?.refresh).not.toBe(second?.refresh)
  })

  it('returns the same token to 20 concurrent refreshes', async () => {
    const first = await sessions.open(userId, 'spec')
    const answers = await Promise.all(Array.from({ length: 20 }, () => sessions.refresh(first.refresh)))
    expect(new Set(answers.map((tokens) => tokens?.refresh)).size).toBe(1)
    expect(await Promise.all(answers.map(signedIn))).toEqual(Array(20).fill(true))
    expect(await signedIn(await sessions.refresh(answers[7]?.refresh))).toBe(true)
  })

  it('can be refreshed for 30 days after the last refresh', async () => {
    let tokens: SessionTokens | undefined = await sessions.open(userId, 'spec')
    for (let round = 0; round < 2; round++) {
      clock += 29 * DAY
      tokens = await sessions.refresh(tokens?.refresh)
      expect(await signedIn(tokens)).toBe(true)
    }
    clock += 30 * DAY
    expect(await sessions.refresh(tokens?.refresh)).toBeUndefined()
  })

  it('ends 90 days after the sign-in, however often it is refreshed', async () => {
    const opened = clock
    let tokens: SessionTokens | undefined = await sessions.open(userId, 'spec')
    for (const day of [25, 50, 75, 89.9]) {
      clock = opened + day * DAY
      tokens = await sessions.refresh(tokens?.refresh)
      expect(await signedIn(tokens)).toBe(true)
    }
    clock = opened + 90 * DAY
    expect([await signedIn(tokens), await sessions.refresh(tokens?.refresh), await sessions.list(userId)]).toEqual([
      false,
      undefined,
      [],
    ])
  })

  it('is deleted when its 90 days are over and the user has signed in since', async () => {
    await sessions.open(userId, 'oldest')
    clock += DAY
    await sessions.open(userId, 'old')
    clock += 89 * DAY + SECOND
    const kept = async () => {
      await deleteOldSessions(db.database, () => clock)
      const sql = 'select user_agent from session where user_id = $1 order by id'
      return (await db.pool.query(sql, [userId])).rows.map((row) => row.user_agent)
    }
    expect(await kept()).toEqual(['old'])
    clock += DAY
    expect(await kept()).toEqual(['old'])
    const tokens = await sessions.open(userId, 'new')
    expect(await kept()).toEqual(['new'])
    expect(await signedIn(tokens)).toBe(true)
  })

  it('invalidates its tokens when it ends, and no other session', async () => {
    const [one, other] = [await sessions.open(userId, 'a'), await sessions.open(userId, 'b')]
    await sessions.end({ access: one.access, refresh: undefined })
    expect([await signedIn(one), await sessions.refresh(one.refresh), await signedIn(other)]).toEqual([
      false,
      undefined,
      true,
    ])
    await sessions.end({ access: undefined, refresh: other.refresh })
    expect(await signedIn(other)).toBe(false)
  })
})

describe('a token', () => {
  const forgeries = ({ access, refresh }: SessionTokens) => {
    const [session, number, mac] = access.split('.') as [string, string, string]
    const macOf = (text: string, key: string) => createHmac('sha256', key).update(text).digest('base64url')
    return {
      'with another number': `${session}.${Number(number) + 1}.${mac}`,
      'of another session': `${crypto.randomUUID()}.${number}.${mac}`,
      'with another signature': `${session}.${number}.${'A'.repeat(43)}`,
      'with a changed byte': access.slice(0, -2) + (access.at(-2) === 'A' ? 'B' : 'A') + access.at(-1),
      'signed with another secret': `${session}.${number}.${macOf(`access.${session}.${number}`, 'other')}`,
      'that is a refresh token': refresh,
      'cut short': access.slice(0, -1),
      'without a signature': `${session}.${number}.`,
      'of nothing': '',
      'with more behind it': `${access}x`,
      'with a sign before its number': `${session}.-1.${macOf(`access.${session}.-1`, secret)}`,
    }
  }
  it('is rejected when it is forged or truncated', async () => {
    const tokens = await sessions.open(userId, 'spec')
    const accepted = []
    for (const [name, forged] of Object.entries(forgeries(tokens))) if (sessions.verify(forged)) accepted.push(name)
    expect(accepted).toEqual([])
    expect(sessions.issuedFor(sessions.verify(tokens.access))).toBe(tokens.access.split('.')[0])
    expect(await signedIn(tokens)).toBe(true)
  })
  it('of another kind does not refresh, and a forged one ends no session', async () => {
    const { access, refresh } = await sessions.open(userId, 'spec')
    const forged = [access, refresh.slice(0, -1), refresh.replace('.0.', '.1.'), undefined]
    for (const token of forged) expect(await sessions.refresh(token)).toBeUndefined()
    await sessions.end({ access: access.slice(1), refresh: refresh.slice(1) })
    expect(await sessions.refresh(refresh)).toBeDefined()
  })
})
