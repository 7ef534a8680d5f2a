import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '#backend/database/testing/temporaryPostgres.ts'
import { AppendOutcomeUnknown, type EventBatch, type EventStore } from './eventStore.ts'
import { aStream, event, eventStoreContract, follow, read } from './eventStoreContract.ts'
import { createPostgresEventStore, installEventTable } from './postgresEventStore.ts'

eventStoreContract('event store in Postgres', async () => {
  const postgres = await startTemporaryPostgres()
  await installEventTable(postgres.pool)
  const store = createPostgresEventStore(postgres.pool)
  const close = async () => {
    await store.close()
    await postgres.close()
  }
  return { store, close }
})

describe('the Postgres adapter', () => {
  let postgres: TemporaryPostgres
  let store: EventStore
  beforeAll(async () => {
    postgres = await startTemporaryPostgres()
    const installers = Array.from({ length: 6 }, () => postgres.connect({ max: 1 }))
    await Promise.all(installers.map(installEventTable))
    store = createPostgresEventStore(postgres.pool)
  }, 60_000)
  afterAll(async () => {
    await store.close()
    await postgres.close()
  })

  it('is installed again without harm', async () => {
    const stream = aStream()
    await store.append(stream, 'any', [event('Kept')])
    await installEventTable(postgres.pool)
    expect(await read(store, stream)).toHaveLength(1)
  })

  it('gives positions without gaps, also to two processes at once', async () => {
    const other = createPostgresEventStore(postgres.connect())
    const writers = [store, other].flatMap((each) => Array.from({ length: 100 }, () => each))
    await Promise.all(writers.map((each) => each.append(aStream(), 'no_stream', [event('A'), event('B')])))
    await other.close()
    const { rows } = await postgres.pool.query('select count(*)::int, max(position)::int from event')
    expect(rows[0].count).toBe(rows[0].max)
  })

  it('shares commits between appends that come together', async () => {
    const query = vi.spyOn(postgres.pool, 'query')
    await Promise.all(Array.from({ length: 100 }, () => store.append(aStream(), 'no_stream', [event('A')])))
    expect(query.mock.calls.length).toBeLessThanOrEqual(2)
    query.mockRestore()
  })

  it('lets a poisonous append fail alone', async () => {
    const id = randomUUID()
    await store.append(aStream(), 'any', [event('First', {}, id)])
    const neighbours = Array.from({ length: 5 }, () => aStream())
    const poisonous = store.append(aStream(), 'any', [event('Second', {}, id)])
    const appended = neighbours.map((stream) => store.append(stream, 'no_stream', [event('A')]))
    await expect(poisonous).rejects.toThrow(/one of these ids is stored already/)
    expect((await Promise.all(appended)).map(({ revision }) => revision)).toEqual([0, 0, 0, 0, 0])
  })

  it('keeps the order of appends to one stream that come together', async () => {
    const stream = aStream()
    const appends = Array.from({ length: 20 }, (_, n) => store.append(stream, 'any', [event('Counted', { n })]))
    const revisions = (await Promise.all(appends)).map(({ revision }) => revision)
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  it('serves many subscriptions over one connection of its own', async () => {
    const own = createPostgresEventStore(postgres.connect())
    const leaving = new AbortController()
    const subscriptions = Array.from({ length: 10 }, () =>
      Array.fromAsync(own.subscribeAll({ signal: leaving.signal, streamPrefixes: ['nothing'] })),
    )
    const listeners = `select count(*)::int as n from pg_stat_activity where query = 'listen event'`
    const count = async () => (await postgres.pool.query(listeners)).rows[0].n
    const before = await vi.waitFor(async () => {
      const n = await count()
      expect(n).toBeGreaterThan(0)
      return n
    })
    await own.close()
    await Promise.all(subscriptions)
    await vi.waitFor(async () => expect(await count()).toBe(before - 1))
  })

  it('hears of another process at once, also after its connections were cut', async () => {
    const [category, writer] = [`cut${randomUUID().slice(0, 8)}`, createPostgresEventStore(postgres.connect())]
    const times: number[] = []
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null`
    const followed = follow(store, {
      prefixes: [category],
      until: (events) => {
        times.push(events.length)
        return events.length === 3
      },
    })
    const waits: number[] = []
    for (let n = 0; n < 3; n++) {
      if (n === 1) await postgres.connect({ max: 1 }).query(cut)
      // Long enough to listen again, and shorter than the safety poll.
      await new Promise((resolve) => setTimeout(resolve, 300))
      const asked = Date.now()
      await writer.append(`${category}-1`, 'any', [event('A')])
      await vi.waitFor(() => expect(times.at(-1)).toBe(n + 1), { timeout: 8000, interval: 5 })
      waits.push(Date.now() - asked)
    }
    await followed
    await writer.close()
    expect(Math.max(...waits)).toBeLessThan(1500)
  })

  it('moves past what does not match, with one empty batch at most per read', async () => {
    const leaving = new AbortController()
    const batches: EventBatch[] = []
    for (let n = 0; n < 50; n++) await store.append(aStream('noise'), 'any', [event('Noise')])
    const subscription = store.subscribeAll({
      signal: leaving.signal,
      streamPrefixes: ['nothing'],
      onLive: () => leaving.abort(),
    })
    for await (const batch of subscription) batches.push(batch)
    expect(batches).toMatchObject([{ events: [], live: true }])
  })

  it('says that the outcome is unknown when no server answers', async () => {
    const nowhere = createPostgresEventStore(postgres.connect({ host: '/nowhere' }))
    await expect(nowhere.append(aStream(), 'any', [event('A')])).rejects.toThrow(AppendOutcomeUnknown)
    await nowhere.close()
    await expect(nowhere.append(aStream(), 'any', [event('A')])).rejects.toThrow(/closed/)
  })
})
