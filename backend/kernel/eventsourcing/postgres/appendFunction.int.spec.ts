import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocked } from '#backend/testing/whileLocked.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../postgres/testing/temporaryPostgres.ts'
import { aStream } from '../testing/followLog.ts'
import { appendSetSql, eventChannel, installEventTableSql } from './postgresEventStore.sql.ts'

interface Append {
  readonly stream: string
  readonly expected: number | null
  readonly events: readonly { id: string; type: string; data: object; meta: object }[]
}

const NO_STREAM = -1
const ANY = null
const events = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: randomUUID(), type: `T${n}`, data: { n }, meta: { m: n } }))

let postgres: TemporaryPostgres
beforeAll(async () => {
  postgres = await startTemporaryPostgres()
  await postgres.pool.query(installEventTableSql)
})
afterAll(() => postgres.close())

/** Calls the append function. Returns whether each append is stored, its last revision, and its last position from the head. */
async function append(...appends: readonly Append[]) {
  const before = await head()
  const { rows } = await postgres.pool.query({ ...appendSetSql, values: [JSON.stringify(appends)] })
  return rows.map(({ stored, revision, position }) => ({
    stored,
    revision: Number(revision),
    place: position === null ? null : Number(position) - before,
  }))
}

async function head(): Promise<number> {
  const { rows } = await postgres.pool.query('select position from event order by position desc limit 1')
  return Number(rows[0]?.position ?? 0)
}

/** Runs `use` with a connection of its own, which is closed afterwards. */
async function withClient(use: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await postgres.pool.connect()
  await use(client).finally(() => client.release(true))
}

const stored = (revision: number, place: number) => ({ stored: true, revision, place })
const refused = (current: number) => ({ stored: false, revision: current, place: null })

async function idsOf(stream: string): Promise<string[]> {
  const { rows } = await postgres.pool.query('select id from event where stream = $1 order by revision', [stream])
  return rows.map(({ id }) => id)
}

describe('the append function', () => {
  it('gives the first event of the log the position 1', async () => {
    await postgres.pool.query('truncate event')
    expect(await append({ stream: aStream(), expected: NO_STREAM, events: events(1) })).toEqual([stored(0, 1)])
    expect(await head()).toBe(1)
  })

  it('stores events as they are, with the time of each append', async () => {
    const stream = aStream()
    const [event] = events(1)
    await append({ stream, expected: NO_STREAM, events: [event!] })
    const { rows } = await postgres.pool.query('select * from event where stream = $1', [stream])
    expect(rows).toMatchObject([{ ...event, revision: '0' }])
    expect(Math.abs(rows[0].created.getTime() - Date.now())).toBeLessThan(60_000)
  })

  it('places the events of several appends one after the other, in the order of the appends', async () => {
    const [one, other, last] = [aStream('z'), aStream('m'), aStream('a')]
    expect(
      await append(
        { stream: one, expected: NO_STREAM, events: events(2) },
        { stream: other, expected: ANY, events: events(3) },
        { stream: last, expected: NO_STREAM, events: events(1) },
      ),
    ).toEqual([stored(1, 2), stored(2, 5), stored(0, 6)])
    const { rows } = await postgres.pool.query('select stream, revision from event order by position desc limit 6')
    expect(rows.map(({ stream, revision }) => [stream, Number(revision)]).reverse()).toEqual([
      [one, 0],
      [one, 1],
      [other, 0],
      [other, 1],
      [other, 2],
      [last, 0],
    ])
  })

  it('leaves no gap where it refuses an append', async () => {
    const stream = aStream()
    expect(
      await append(
        { stream: aStream(), expected: 4, events: events(2) },
        { stream, expected: NO_STREAM, events: events(1) },
      ),
    ).toEqual([refused(NO_STREAM), stored(0, 1)])
  })

  it.for([
    ['a stream that is shorter than expected', 2, 5],
    ['a stream that is longer than expected', 2, 0],
    ['a stream that should not exist', 2, NO_STREAM],
    ['a missing stream that should exist', 0, 0],
  ] as const)('refuses %s and returns its revision', async ([, length, expected]) => {
    const stream = aStream()
    const known = events(length)
    if (length > 0) await append({ stream, expected: NO_STREAM, events: known })
    expect(await append({ stream, expected, events: events(1) })).toEqual([refused(length - 1)])
    expect(await idsOf(stream)).toEqual(known.map(({ id }) => id))
  })

  it('continues a stream after its last revision', async () => {
    const stream = aStream()
    const all = events(6)
    await append({ stream, expected: NO_STREAM, events: all.slice(0, 3) })
    expect(await append({ stream, expected: 2, events: all.slice(3, 5) })).toEqual([stored(4, 2)])
    expect(await append({ stream, expected: ANY, events: all.slice(5) })).toEqual([stored(5, 1)])
    expect(await idsOf(stream)).toEqual(all.map(({ id }) => id))
  })

  it('notifies listeners of the position of the last event', async () => {
    await withClient(async (listener) => {
      const heard = new Promise((resolve) =>
        listener.once('notification', ({ channel, payload }) => resolve({ channel, payload })),
      )
      await listener.query(`listen ${eventChannel}`)
      await append({ stream: aStream(), expected: ANY, events: events(1) })
      expect(await heard).toEqual({
        channel: eventChannel,
        payload: String(await head()),
      })
    })
  })

  it('waits for an append in another transaction, and sees its events', async () => {
    const stream = aStream()
    await withClient(async (other) => {
      await other.query('begin')
      const first = [{ stream, expected: NO_STREAM, events: events(1) }]
      await other.query({ ...appendSetSql, values: [JSON.stringify(first)] })
      const second = append({ stream, expected: 0, events: events(1) })
      await blocked(postgres.pool, 1)
      await other.query('commit')
      expect(await second).toMatchObject([{ stored: true, revision: 1 }])
    })
  })
})

describe('a repeated append', () => {
  it.for([
    ['to a new stream', NO_STREAM, 0],
    ['at a revision', 1, 2],
    ['at any revision', ANY, 2],
  ] as const)('%s returns the first result and stores nothing', async ([, expected, length]) => {
    const stream = aStream()
    if (length > 0) await append({ stream, expected: NO_STREAM, events: events(length) })
    const repeated = { stream, expected, events: events(3) }
    const [first] = await append(repeated)
    const last = await head()
    expect(await append(repeated)).toEqual([stored(first!.revision, 0)])
    await append({ stream, expected: ANY, events: events(2) })
    expect(await append(repeated)).toEqual([stored(first!.revision, -2)])
    expect(await head()).toBe(last + 2)
  })

  it('is refused when the stream expects the same events at another revision', async () => {
    const stream = aStream()
    const known = events(3)
    await append({ stream, expected: NO_STREAM, events: known })
    expect(await append({ stream, expected: 0, events: known.slice(0, 2) })).toEqual([refused(2)])
    expect(await append({ stream, expected: NO_STREAM, events: known.slice(1) })).toEqual([refused(2)])
  })

  it('is refused when the events are known in another order', async () => {
    const stream = aStream()
    const known = events(2)
    await append({ stream, expected: NO_STREAM, events: known })
    expect(await append({ stream, expected: NO_STREAM, events: known.toReversed() })).toEqual([refused(1)])
  })

  it.for([
    ['its first event is known', [0]],
    ['its last event is known', [1]],
  ] as const)('is refused when only %s', async ([, places]) => {
    const stream = aStream()
    const known = events(2)
    await append({ stream, expected: NO_STREAM, events: known })
    const mixed = events(2).map((event, n) => (places.some((place) => place === n) ? known[n]! : event))
    expect(await append({ stream, expected: NO_STREAM, events: mixed })).toEqual([refused(1)])
    expect(await append({ stream, expected: ANY, events: [known[0]!, ...events(1)] })).toEqual([refused(1)])
    expect(await idsOf(stream)).toEqual(known.map(({ id }) => id))
  })

  it('is refused by an id that another stream holds', async () => {
    const known = events(1)
    await append({ stream: aStream(), expected: NO_STREAM, events: known })
    for (const expected of [NO_STREAM, ANY, 0] as const) {
      const stream = aStream()
      if (expected === 0) await append({ stream, expected: NO_STREAM, events: events(1) })
      await expect(append({ stream, expected, events: known })).rejects.toMatchObject({ constraint: 'event_id' })
    }
    const elsewhere = aStream()
    expect(await append({ stream: elsewhere, expected: 0, events: known })).toEqual([refused(NO_STREAM)])
  })

  it('takes no position beside new appends', async () => {
    const [stream, fresh] = [aStream(), aStream()]
    const repeated = { stream, expected: NO_STREAM, events: events(2) }
    await append(repeated)
    expect(await append(repeated, { stream: fresh, expected: NO_STREAM, events: events(2) })).toEqual([
      stored(1, 0),
      stored(1, 2),
    ])
  })
})
