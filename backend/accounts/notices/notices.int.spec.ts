import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import en from '#content/en/notices.json' with { type: 'json' }
import zh from '#content/zh/notices.json' with { type: 'json' }
import { type EndedTask, readNewlyEnded } from '#projections/tasks/readVideoTasks.ts'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { createGuard, RefusedAddress } from '../../kernel/http/outgoing/guardedRequest.ts'
import { REFUSED_ADDRESSES } from '../../kernel/http/outgoing/testing/refusedAddresses.ts'
import { type Change, RELISTENED } from '../../kernel/postgres/changes.ts'
import { startPushServiceDouble } from '../../providers/push/testing/pushServiceDouble.ts'
import { createWebPush } from '../../providers/push/webPush.ts'
import { createProviderDouble, type ProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { tellWhenDone } from '../../tasks/tellWhenDone.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { testMails } from '../../testing/testMails.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import { createPushSubscriptions } from './pushSubscriptions.ts'
import { createVideoNotices } from './videoNotices.ts'

let kinora: TestKinora
let provider: ProviderDouble
let service: Awaited<ReturnType<typeof startPushServiceDouble>>
beforeAll(async () => {
  service = await startPushServiceDouble()
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider, push: service.transport })
})
afterAll(async () => {
  await kinora.close()
  service.close()
})

const subscribe = async (user: TestUser, id: string) =>
  (await user.call('PUT', '/users/notices/push', service.subscription(id))).status
const notices = async (user: TestUser) =>
  (await (await user.call('GET', '/users/notices')).json()) as Record<string, unknown>
const order = (user: TestUser) => user.call('POST', '/videos/generate', GENERATION)
const received = () => service.state.received

describe('the end of a video', () => {
  const HOUR_MS = 3_600_000
  const newlyEnded = (id: string, since: number) =>
    readNewlyEnded(kinora.context.database, [id], new Date(Date.now() + since))

  it('is news, but not when its row is built again later', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    const finishedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(await newlyEnded(id, -HOUR_MS)).toEqual([{ taskId: id, userId: user.userId, succeeded: true, finishedAt }])
    expect(await newlyEnded(id, HOUR_MS)).toEqual([])
  })

  it('is told at the start and after a reconnect, because notifications may have been lost', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    const told: EndedTask[] = []
    let emit = (_: Change) => {}
    const stop = tellWhenDone({
      database: kinora.context.database,
      changes: {
        subscribe(listener) {
          emit = listener
          return () => {}
        },
      },
      clock: Date.now,
      tell: async (videos) => void told.push(...videos.filter(({ taskId }) => taskId === id)),
      onError: (error) => expect(error).toBeUndefined(),
    })
    emit({ name: RELISTENED, ids: [] })
    await stop()
    const video = { taskId: id, userId: user.userId, succeeded: true, finishedAt: expect.any(String) }
    expect(told).toEqual([video, video])
  })

  it('is no news if its owner has cancelled it', async () => {
    const answer = provider.answer
    provider.answer = () => ({ kind: 'queued' })
    const user = await kinora.newUser()
    const { id } = await generate(user)
    expect((await user.call('POST', `/videos/tasks/${id}/cancel`)).status).toBe(202)
    await reaches(user, id, { status: 'Fail', error_code: 'cancelled' })
    provider.answer = answer
    expect(await newlyEnded(id, -HOUR_MS)).toEqual([])
  })
})

describe('a push message', () => {
  it('is signed, encrypted, and in the language of the user', async () => {
    for (const [language, { done }, path] of [
      ['en', en, '/film/'],
      ['zh', zh, '/zh/film/'],
    ] as const) {
      const user = await kinora.newUser()
      await user.call('PUT', '/users/language', { language })
      expect(await subscribe(user, language)).toBe(204)
      const before = received().length
      await order(user)
      await eventually(() => expect(received().length).toBe(before + 1))
      const { claims, key, message } = received().at(-1)!
      expect(message).toMatchObject({ ...done, path: expect.stringMatching(new RegExp(`^${path}[0-9a-f-]{36}$`)) })
      expect(claims.aud).toBe(new URL(service.subscription('x').endpoint).origin)
      expect([key, true]).toEqual([(await notices(user)).push_key, (await notices(user)).push])
    }
  })

  it('says that a failed video was not charged', async () => {
    const answer = provider.answer
    provider.answer = () => ({ kind: 'failed', code: 'provider_failed', detail: 'no' })
    for (const [language, { failed }] of Object.entries({ en, zh })) {
      const user = await kinora.newUser()
      await user.call('PUT', '/users/language', { language })
      await subscribe(user, `failed-${language}`)
      const before = received().length
      await order(user)
      await eventually(() => expect(received().length).toBe(before + 1))
      expect(received().at(-1)!.message).toMatchObject(failed)
    }
    provider.answer = answer
    expect([en.failed.body, zh.failed.body]).toEqual(['You were not charged.', '未扣除积分。'])
  })

  it('ends with the session, and with the subscription', async () => {
    const user = await kinora.newUser()
    const subscriptions = createPushSubscriptions(kinora.context.database)
    await subscribe(user, 'session')
    expect(await subscriptions.list(user.userId)).toHaveLength(1)
    await user.call('POST', '/auth/logout')
    expect(await subscriptions.list(user.userId)).toEqual([])
    const away = await kinora.newUser()
    await subscribe(away, 'ended elsewhere')
    const elsewhere = await kinora.post('/auth/login', { email: away.email, password: 'correct horse' })
    const cookie = elsewhere.headers.getSetCookie().map((line) => line.split(';')[0])
    await away.call('DELETE', '/users/sessions', undefined, { cookie: cookie.join('; ') })
    expect(await subscriptions.list(away.userId)).toEqual([])
    const silent = await kinora.newUser()
    await subscribe(silent, 'expired')
    const age = (column: string, days: number) =>
      kinora.context.pool.query(`update session set ${column} = now() - $2 * interval '1 day' where user_id = $1`, [
        silent.userId,
        days,
      ])
    await age('rotated_at', 29)
    expect(await subscriptions.list(silent.userId)).toHaveLength(1)
    await age('rotated_at', 31)
    expect(await subscriptions.list(silent.userId)).toEqual([])
    await age('rotated_at', 0)
    await age('created_at', 91)
    expect(await subscriptions.list(silent.userId)).toEqual([])
    const other = await kinora.newUser()
    await subscribe(other, 'ended')
    await other.call('DELETE', '/users/notices/push')
    expect(await subscriptions.list(other.userId)).toEqual([])
  })

  it('is sent to the twenty browsers that were used last, so that a video cannot start a flood', async () => {
    const user = await kinora.newUser()
    await kinora.context.pool.query(
      `with opened as (
         insert into session (id, user_id, generation, created_at, rotated_at, last_used_at, user_agent)
         select gen_random_uuid(), $1, 0, now(), now(), now() + n * interval '1 s', n from generate_series(1, 25) n
         returning id, user_id, user_agent)
       insert into push_subscription (session_id, user_id, endpoint, p256dh, auth)
       select id, user_id, 'https://push.example/' || user_agent, '', '' from opened`,
      [user.userId],
    )
    const told = await createPushSubscriptions(kinora.context.database).list(user.userId)
    const used = Array.from({ length: 20 }, (_, n) => `https://push.example/${25 - n}`)
    expect(told.map(({ endpoint }) => endpoint)).toEqual(used)
  })

  it('is sent to public https addresses only', async () => {
    const user = await kinora.newUser()
    const { keys } = service.subscription('x')
    const sender = createWebPush({
      key: Buffer.alloc(32, 1),
      contact: () => 'mailto:a@kinora.test',
      guard: createGuard(),
    })
    const message = { title: 'a', body: 'b', path: '/', tag: 'c' }
    for (const endpoint of [...REFUSED_ADDRESSES, 'x']) {
      const answer = await user.call('PUT', '/users/notices/push', { endpoint, keys })
      expect([endpoint, answer.status, await answer.json()]).toMatchObject([
        endpoint,
        422,
        { errors: [{ path: 'endpoint', code: 'invalid' }] },
      ])
    }
    // The library itself refuses other schemes.
    for (const endpoint of REFUSED_ADDRESSES.filter((address) => address.startsWith('https:')))
      await expect(sender.send({ endpoint, keys }, message), endpoint).rejects.toThrow(RefusedAddress)
  })

  it('follows no redirect', async () => {
    const sender = createWebPush({
      key: Buffer.alloc(32, 1),
      contact: () => 'mailto:a@kinora.test',
      guard: { ...createGuard(), ...service.transport },
    })
    const message = { title: 'a', body: 'b', path: '/', tag: 'c' }
    service.state.status = 307
    const before = received().length
    await expect(sender.send(service.subscription('moved'), message)).rejects.toThrow('307')
    expect(received()).toHaveLength(before + 1)
    service.state.status = 201
  })

  it('is stored once for each video and browser, and tried again until it is sent', async () => {
    const user = await kinora.newUser()
    await subscribe(user, 'late')
    service.state.status = 503
    const before = received().length
    const { id } = await generate(user)
    await eventually(() => expect(received().length).toBe(before + 1))
    const { pool } = kinora.context
    const stored = async () =>
      (
        await pool.query(`select channel, state, attempts from outbox where user_id = $1 and channel = 'push'`, [
          user.userId,
        ])
      ).rows
    const row = { channel: 'push', state: 'waiting', attempts: 1 }
    await eventually(async () => expect(await stored()).toEqual([row]))
    service.state.status = 201
    const finishedAt = new Date().toISOString()
    const { messages, outbox } = kinora.services
    const { tell } = createVideoNotices({
      ...{ database: kinora.context.database, messages, outbox, clock: Date.now, publicUrl: () => kinora.url },
      subscriptions: createPushSubscriptions(kinora.context.database),
    })
    await tell([{ taskId: id, userId: user.userId, succeeded: true, finishedAt }])
    await pool.query('update outbox set due_at = now() where user_id = $1 and channel = $2', [user.userId, 'push'])
    await eventually(async () => expect(await stored()).toEqual([{ ...row, state: 'sent', attempts: 2 }]))
    expect(received().length).toBe(before + 2)
  })

  it('removes a subscription that the push service no longer knows, or that has no valid key', async () => {
    const sender = createWebPush({
      key: Buffer.alloc(32, 1),
      contact: () => 'mailto:a@kinora.test',
      guard: { ...createGuard(), ...service.transport },
    })
    const message = { title: 'a', body: 'b', path: '/', tag: 'c' }
    service.state.status = 410
    expect(await sender.send(service.subscription('gone'), message)).toBe('gone')
    service.state.status = 201
    const broken = { ...service.subscription('x').keys, p256dh: `B${'A'.repeat(86)}` }
    expect(await sender.send({ ...service.subscription('x'), keys: broken }, message)).toBe('gone')
  })
})

describe('a mail', () => {
  const MINUTE = 60_000
  const finishedAt = Date.UTC(2026, 10, 23, 12)
  const tellAt = async (user: TestUser, lastUse: number, video: { taskId: string; succeeded: boolean }) => {
    const { pool, database } = kinora.context
    await user.call('PUT', '/users/notices/mail', { on: true })
    await pool.query('update session set last_used_at = $2 where user_id = $1', [user.userId, new Date(lastUse)])
    let now = finishedAt
    const { outbox } = testMails(kinora.context)
    const mailed: string[] = []
    const service = createVideoNotices({
      database,
      subscriptions: createPushSubscriptions(database),
      messages: kinora.services.messages,
      outbox: {
        ...outbox,
        put: async (_, userId, { subject }) => void (userId === user.userId && mailed.push(subject)),
      },
      publicUrl: () => 'https://kinora.test',
      clock: () => now,
    })
    await service.tell([{ ...video, userId: user.userId, finishedAt: new Date(finishedAt).toISOString() }])
    return async (at: number) => {
      now = at
      await service.mailAway()
      return mailed
    }
  }
  const done = (n: number) => ({ taskId: `0190a000-0000-7000-8000-00000000000${n}`, succeeded: n !== 3 })

  it('is sent once the user has been away for ten minutes', async () => {
    const mailsAt = await tellAt(await kinora.newUser(), finishedAt - MINUTE, done(1))
    expect(await mailsAt(finishedAt + 9 * MINUTE)).toEqual([])
    expect(await mailsAt(finishedAt + 11 * MINUTE)).toEqual(['Your Kinora video is ready'])
    expect(await mailsAt(finishedAt + 30 * MINUTE)).toHaveLength(1)
  })

  it('is not sent to users who came back', async () => {
    const mailsAt = await tellAt(await kinora.newUser(), finishedAt + MINUTE, done(2))
    expect(await mailsAt(finishedAt + 60 * MINUTE)).toEqual([])
  })

  it('tells about a failure', async () => {
    const mailsAt = await tellAt(await kinora.newUser(), finishedAt - MINUTE, done(3))
    expect(await mailsAt(finishedAt + 11 * MINUTE)).toEqual(['Your Kinora video could not be made'])
  })

  it('tells about a video that arrives after its failure, once', async () => {
    const user = await kinora.newUser()
    const { taskId } = done(4)
    const failedAt = await tellAt(user, finishedAt - MINUTE, { taskId, succeeded: false })
    expect(await failedAt(finishedAt + 11 * MINUTE)).toEqual(['Your Kinora video could not be made'])
    for (const expected of [['Your Kinora video is ready'], []]) {
      const arrivedAt = await tellAt(user, finishedAt - MINUTE, { taskId, succeeded: true })
      expect(await arrivedAt(finishedAt + 11 * MINUTE)).toEqual(expected)
    }
    const late = await tellAt(user, finishedAt - MINUTE, { taskId, succeeded: false })
    expect(await late(finishedAt + 11 * MINUTE)).toEqual([])
  })

  it('is not sent without consent', async () => {
    const user = await kinora.newUser()
    expect((await notices(user)).mail).toBe(false)
    await user.call('PUT', '/users/notices/mail', { on: true })
    expect((await notices(user)).mail).toBe(true)
  })
})
