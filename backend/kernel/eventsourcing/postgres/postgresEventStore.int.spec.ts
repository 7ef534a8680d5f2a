import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startCuttableProxy } from '#backend/testing/cuttableProxy.ts'
import { stopwatch } from '#backend/testing/stopwatch.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../postgres/testing/temporaryPostgres.ts'
import { AppendOutcomeUnknown, type EventBatch, type EventStore, StoreUnavailable } from '../eventStore.port.ts'
import { eventStoreContract } from '../testing/eventStoreContract.ts'
import { aStream, event, follow, many, read } from '../testing/followLog.ts'
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
  })
  afterAll(async () => {
    await store.close()
    await postgres.close()
  })

  /** Stops the interval that reads the log without a notification, so that only notifications deliver events. */
  const withoutSafetyInterval = () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  const lockTable = async () => {
    const client = await postgres.pool.connect()
    await client.query('begin; lock table event in exclusive mode')
    return async () => {
      await client.query('rollback')
      client.release()
    }
  }

  it('can be installed repeatedly', async () => {
    const stream = aStream()
    await store.append(stream, 'any', [event('Kept')])
    await installEventTable(postgres.pool)
    expect(await read(store, stream)).toHaveLength(1)
  })

  it('appends to a database of the former release, before a server has started on it', async () => {
    await postgres.pool.query('drop function event_append_list')
    const [one, other] = [aStream(), aStream()]
    await store.append(one, 'no_stream', [event('A')])
    await store.appendAll!(
      [one, other].map((stream, n) => ({ stream, expected: n ? 'no_stream' : 0, events: many(2, 'B') })),
    )
    expect([await read(store, one), await read(store, other)].map(({ length }) => length)).toEqual([3, 2])
    await installEventTable(postgres.pool)
  })

  it('assigns positions in commit order without gaps across processes', async () => {
    const category = `several${randomUUID().slice(0, 8)}`
    const processes = Array.from({ length: 4 }, () => createPostgresEventStore(postgres.connect()))
    const seen = follow(store, { prefixes: [category], until: ({ length }) => length >= 4 * 8 * 10 })
    const write = async (process: EventStore, stream: string) => {
      for (let n = 0; n < 10; n++) await process.append(stream, n === 0 ? 'no_stream' : n - 1, [event('A')])
    }
    await Promise.all(
      processes.flatMap((process, p) => Array.from({ length: 8 }, (_, n) => write(process, `${category}-${p}-${n}`))),
    )
    const { events } = await seen
    await Promise.all(processes.map((process) => process.close()))
    const { rows } = await postgres.pool.query('select id, position::int from event order by position')
    expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1))
    expect(events.map(({ id }) => id)).toEqual(rows.slice(-events.length).map(({ id }) => id))
  })

  it('shares commits between concurrent appends', async () => {
    const query = vi.spyOn(postgres.pool, 'query')
    await Promise.all(Array.from({ length: 100 }, () => store.append(aStream(), 'no_stream', [event('A')])))
    expect(query.mock.calls.length).toBeLessThanOrEqual(2)
    query.mockRestore()
  })

  it('fails only the append that Postgres rejects', async () => {
    const id = randomUUID()
    await store.append(aStream(), 'any', [event('First', {}, id)])
    const neighbours = Array.from({ length: 5 }, () => aStream())
    const poisonous = store.append(aStream(), 'any', [event('Second', {}, id)])
    const appended = neighbours.map((stream) => store.append(stream, 'no_stream', [event('A')]))
    await expect(poisonous).rejects.toThrow(/one of these ids exists already/)
    expect((await Promise.all(appended)).map(({ revision }) => revision)).toEqual([0, 0, 0, 0, 0])
  })

  it('keeps the order of concurrent appends to one stream', async () => {
    const stream = aStream()
    const appends = Array.from({ length: 20 }, (_, n) => store.append(stream, 'any', [event('Counted', { n })]))
    const revisions = (await Promise.all(appends)).map(({ revision }) => revision)
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  it('serves many subscriptions over one LISTEN connection', async () => {
    const own = createPostgresEventStore(postgres.connect({ application_name: 'counted' }))
    const leaving = new AbortController()
    const live = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
    const subscriptions = live.map(({ resolve }) =>
      Array.fromAsync(own.subscribeAll({ signal: leaving.signal, streamPrefixes: ['nothing'], onLive: resolve })),
    )
    const connections = `select query from pg_stat_activity where application_name = 'counted'`
    const listening = async () => {
      const { rows } = await postgres.pool.query<{ query: string }>(connections)
      return rows.filter(({ query }) => query === 'listen event').length
    }
    await Promise.all(live.map(({ promise }) => promise))
    await expect.poll(() => listening()).toBe(1)
    await own.close()
    await Promise.all(subscriptions)
    await expect.poll(() => listening()).toBe(0)
  })

  it('reads new events once for all of its subscriptions', async () => {
    const category = `shared${randomUUID().slice(0, 8)}`
    const pool = postgres.connect()
    const own = createPostgresEventStore(pool)
    const read = vi.spyOn(pool, 'query')
    const until = ({ length }: readonly unknown[]) => length === 20
    const live = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
    const followed = live.map(({ resolve }) => follow(own, { prefixes: [category], onLive: resolve, until }))
    await Promise.all(live.map(({ promise }) => promise))
    const before = read.mock.calls.length
    // Half of the events are the store's own, and half are another process's.
    for (let n = 0; n < 10; n++)
      for (const writer of [own, store]) await writer.append(`${category}-1`, 'any', [event('A', { n })])
    const seen = await Promise.all(followed)
    const appends = 10
    expect(read.mock.calls.length - before - appends).toBeLessThanOrEqual(25)
    for (const { events } of seen) expect(events.map(({ revision }) => revision)).toEqual([...Array(20).keys()])
    await own.close()
  })

  it('delivers an event that arrives while a slow subscription handles the one before', async () => {
    const category = `slow${randomUUID().slice(0, 8)}`
    withoutSafetyInterval()
    const own = createPostgresEventStore(postgres.connect())
    const live = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let heard = 0
    const until = ({ length }: readonly unknown[]) => {
      heard = Math.max(heard, length)
      return length === 2
    }
    const prefixes: [string] = [category]
    const [slow, fast] = live.map(({ resolve }, n) =>
      follow(own, { prefixes, onLive: resolve, until, slow: n === 0 ? 300 : 0 }),
    )
    await Promise.all(live.map(({ promise }) => promise))
    await store.append(`${category}-1`, 'any', [event('A')])
    await expect.poll(() => heard).toBe(1)
    await store.append(`${category}-1`, 'any', [event('B')])
    await Promise.all([slow, fast])
    await own.close()
  })

  it('delivers a burst that is larger than its memory, in order', async () => {
    const category = `burst${randomUUID().slice(0, 8)}`
    const live = Promise.withResolvers<void>()
    const until = ({ length }: readonly unknown[]) => length === 2_500
    const followed = follow(store, { prefixes: [category], onLive: live.resolve, until })
    await live.promise
    await Promise.all(
      Array.from({ length: 5 }, (_, n) => store.append(`${category}-${n}`, 'no_stream', many(500, 'A'))),
    )
    const positions = (await followed).events.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted())
    expect(new Set(positions).size).toBe(2_500)
  })

  it('receives events of another process immediately, including those stored while it was disconnected', async () => {
    const category = `cut${randomUUID().slice(0, 8)}`
    const pool = postgres.connect({ max: 1 })
    const writer = createPostgresEventStore(pool)
    const cut =
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null'
    let heard = 0
    withoutSafetyInterval()
    const own = createPostgresEventStore(postgres.connect({ application_name: category }))
    const listening = `select from pg_stat_activity where query = 'listen event' and application_name = '${category}'`
    const followed = follow(own, {
      prefixes: [category],
      until: ({ length }) => {
        heard = length
        return length === 3
      },
    })
    for (let n = 0; n < 3; n++) {
      // The second notification is lost while disconnected; the third arrives after the reconnect.
      if (n === 1) await pool.query(cut)
      else await expect.poll(async () => (await postgres.pool.query(listening)).rowCount).toBe(1)
      await writer.append(`${category}-1`, 'any', [event('A')])
      await expect.poll(() => heard).toBe(n + 1)
    }
    await followed
    await own.close()
    await writer.close()
  })

  it('skips events that do not match, with at most one empty batch per read', async () => {
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

  it('appends from several processes while the default isolation of the database is repeatable read', async () => {
    const isolation = (level: string) =>
      postgres.pool.query(`alter database "${postgres.server.database}" set default_transaction_isolation = '${level}'`)
    await isolation('repeatable read')
    const processes = Array.from({ length: 4 }, () => createPostgresEventStore(postgres.connect()))
    const writes = processes.flatMap((process) =>
      Array.from({ length: 10 }, async () => {
        const stream = aStream()
        for (let n = 0; n < 10; n++) await process.append(stream, n === 0 ? 'no_stream' : n - 1, [event('A')])
      }),
    )
    const outcomes = await Promise.allSettled(writes)
    await isolation('read committed')
    await Promise.all(processes.map((process) => process.close()))
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
  })

  it('rejects appends within a few seconds while the table is locked', async () => {
    const streams = Array.from({ length: 5 }, () => aStream())
    const release = await lockTable()
    const took = stopwatch()
    const outcomes = await Promise.allSettled(streams.map((stream) => store.append(stream, 'no_stream', [event('A')])))
    took.within(5_000)
    await release()
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(StoreUnavailable) })
    expect((await store.append(streams[0]!, 'no_stream', [event('A')])).revision).toBe(0)
  })

  it('gives up an append after eight seconds of silence', async () => {
    const { socketDir, port } = postgres.server
    const proxy = await startCuttableProxy({ path: path.join(socketDir, `.s.PGSQL.${port}`) })
    const config = { host: '127.0.0.1', port: proxy.port, connectionTimeoutMillis: 8_000 }
    const silent = createPostgresEventStore(postgres.connect(config))
    await silent.append(aStream(), 'no_stream', [event('A')])
    proxy.freeze()
    const took = stopwatch()
    await expect(silent.append(aStream(), 'no_stream', [event('A')])).rejects.toThrow(AppendOutcomeUnknown)
    took.within(10_000)
    await silent.close()
    await proxy.close()
  })

  describe('probing', () => {
    it('leaves nothing in the log and uses no position', async () => {
      const { position: head } = await store.append(aStream(), 'no_stream', [event('A')])
      await store.probe()
      expect(await store.head()).toBe(head)
      const { position } = await store.append(aStream(), 'no_stream', [event('A')])
      expect(Number(position)).toBe(Number(head) + 1)
    })

    it('fails within two seconds while the table is locked', async () => {
      const release = await lockTable()
      const took = stopwatch()
      await expect(store.probe()).rejects.toThrow(StoreUnavailable)
      took.within(2_500)
      await release()
      await store.probe()
    })

    it('fails while the database is read-only', async () => {
      const readOnly = createPostgresEventStore(postgres.connect({ options: '-c default_transaction_read_only=on' }))
      await expect(readOnly.probe()).rejects.toThrow(StoreUnavailable)
      await readOnly.close()
    })
  })

  it('throws AppendOutcomeUnknown when no server answers', async () => {
    const nowhere = createPostgresEventStore(postgres.connect({ host: '/nowhere' }))
    await expect(nowhere.append(aStream(), 'any', [event('A')])).rejects.toThrow(AppendOutcomeUnknown)
    await nowhere.close()
    await expect(nowhere.append(aStream(), 'any', [event('A')])).rejects.toThrow(/closed/)
  })
})
