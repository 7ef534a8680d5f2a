import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTemporaryPostgres } from '../../postgres/testing/temporaryPostgres.ts'
import { aStream, event, many } from '../testing/followLog.ts'
import { createPostgresEventStore, installEventTable } from './postgresEventStore.ts'

let postgres: Awaited<ReturnType<typeof startTemporaryPostgres>>
beforeAll(async () => {
  postgres = await startTemporaryPostgres()
  await installEventTable(postgres.pool)
})
afterAll(() => postgres.close())

it('reads streams together while other reads are in flight, each from its revision to its end', async () => {
  const store = createPostgresEventStore(postgres.pool)
  const [long, short, missing] = [aStream(), aStream(), aStream()]
  await store.append(long, 'no_stream', many(120, 'Long'))
  await store.append(short, 'no_stream', [event('Short'), event('Short')])
  const query = vi.spyOn(postgres.pool, 'query')
  const revisions = async (stream: string, from = 0) => {
    const events = await Array.fromAsync(store.readStream(stream, from))
    expect(events.every((each) => each.stream === stream)).toBe(true)
    return events.map(({ revision }) => revision)
  }
  const upTo = (end: number, from = 0) => Array.from({ length: end - from }, (_, n) => from + n)
  const others = Array.from({ length: 10 }, () => revisions(short))
  const found = await Promise.all([revisions(long), revisions(missing), revisions(long, 118), revisions(short, 1)])
  expect(found).toEqual([upTo(120), [], upTo(120, 118), [1]])
  expect(await Promise.all(others)).toEqual(others.map(() => [0, 1]))
  // Fourteen reads, of which one needs three pages.
  expect(query.mock.calls.length).toBeLessThan(8)
  expect(await revisions(missing)).toEqual([])
  query.mockRestore()
  await store.close()
})

it('fails the reads of a statement that fails, and reads again', async () => {
  const store = createPostgresEventStore(postgres.pool)
  const stream = aStream()
  await store.append(stream, 'no_stream', [event('A')])
  const read = async () => (await Array.fromAsync(store.readStream(stream))).length
  const query = vi.spyOn(postgres.pool, 'query').mockRejectedValueOnce(new Error('the connection is lost') as never)
  const failed = await Promise.allSettled([read(), read(), read()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  query.mockRestore()
  await store.close()
})

it('fails only the read of a stream that Postgres cannot read', async () => {
  const store = createPostgresEventStore(postgres.pool)
  const [sound, damaged] = [aStream(), aStream()]
  await store.append(sound, 'no_stream', [event('A')])
  const { query } = postgres.pool
  const send = query.bind(postgres.pool) as (sent: pg.QueryConfig) => Promise<unknown>
  const fault = Object.assign(new pg.DatabaseError('invalid page', 12, 'error'), { code: 'XX001' })
  const spy = vi
    .spyOn(postgres.pool, 'query')
    .mockImplementation(((sent: pg.QueryConfig) =>
      JSON.stringify(sent.values).includes(damaged) ? Promise.reject(fault) : send(sent)) as never)
  const read = async (stream: string) => (await Array.fromAsync(store.readStream(stream))).length
  const outcomes = await Promise.allSettled([read(sound), read(damaged), read(sound)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  spy.mockRestore()
  await store.close()
})
