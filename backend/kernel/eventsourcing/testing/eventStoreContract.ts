import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConcurrencyConflict, type EventStore, type Expected, type NewEvent } from '../eventStore.port.ts'
import { aStream, event, follow, ids, many, read } from './followLog.ts'
import { subscriptionContract } from './subscriptionContract.ts'

interface OpenedStore {
  readonly store: EventStore
  close(): Promise<void>
}

type Open = () => Promise<OpenedStore>

/** Defines the contract suite of the event store port, which every adapter must pass. */
export function eventStoreContract(name: string, open: Open): void {
  describe(name, () => {
    let opened: OpenedStore
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened?.close())
    const store = () => opened.store
    describe('appends', () => appendContract(store))
    describe('appends to several streams', () => appendAllContract(store))
    describe('stores', () => contentContract(store))
    describe('under concurrency', () => concurrencyContract(store))
    describe('subscribes', () => subscriptionContract(store))
  })
}

function appendContract(store: () => EventStore): void {
  it('events that read back with revisions from 0', async () => {
    const stream = aStream()
    const appended = await store().append(stream, 'no_stream', [event('Opened', { n: 1 }), event('Credited', { n: 2 })])
    expect(appended.revision).toBe(1)
    const events = await read(store(), stream)
    expect(events.map(({ type, revision, data, meta }) => ({ type, revision, data, meta }))).toEqual([
      { type: 'Opened', revision: 0, data: { n: 1 }, meta: { correlationId: 'c-1' } },
      { type: 'Credited', revision: 1, data: { n: 2 }, meta: { correlationId: 'c-1' } },
    ])
    expect(events[1]!.position).toBe(appended.position)
    expect(events[0]!.position < events[1]!.position).toBe(true)
    expect(Math.abs(events[0]!.created.getTime() - Date.now())).toBeLessThan(60_000)
    expect(ids(await read(store(), stream, 1))).toEqual([events[1]!.id])
    expect(await read(store(), stream, 2)).toEqual([])
  })

  it('and reads nothing from a missing stream', async () => {
    expect(await read(store(), aStream())).toEqual([])
  })

  it('with ConcurrencyConflict and the actual revision for a wrong expectation', async () => {
    const [stream, missing] = [aStream(), aStream()]
    await store().append(stream, 'no_stream', [event('A')])
    for (const [name, expected, actual] of [
      [stream, 'no_stream', 0],
      [stream, 5, 0],
      [missing, 0, 'no_stream'],
    ] as const) {
      const error = await store()
        .append(name, expected, [event('B')])
        .catch((thrown) => thrown)
      expect(error).toBeInstanceOf(ConcurrencyConflict)
      expect(error.actual).toBe(actual)
    }
    expect((await store().append(stream, 0, [event('B')])).revision).toBe(1)
    expect((await store().append(stream, 'any', [event('C')])).revision).toBe(2)
    expect((await store().append(missing, 'any', [event('C')])).revision).toBe(0)
  })

  it.for(['no_stream', 0, 'any'] as const)('repeated events only once (expected revision %s)', async (expected) => {
    const stream = aStream()
    if (expected !== 'no_stream') await store().append(stream, 'no_stream', [event('First')])
    const events = many(3, 'A')
    const once = await store().append(stream, expected, events)
    expect(await store().append(stream, expected, events)).toEqual(once)
    await store().append(stream, once.revision, [event('Later')])
    expect(await store().append(stream, expected, events)).toEqual(once)
    expect(await read(store(), stream)).toHaveLength(once.revision + 2)
    await expect(store().append(stream, expected, [events[0]!, event('Other')])).rejects.toThrow(ConcurrencyConflict)
    await expect(store().append(stream, expected, [...events, event('More')])).rejects.toThrow(ConcurrencyConflict)
  })

  it('events and returns the head of the log', async () => {
    const { position } = await store().append(aStream(), 'no_stream', many(2, 'A'))
    const head = (await store().head())!
    expect(head >= position).toBe(true)
    expect(head.length).toBe(position.length)
  })

  it('all events or none', async () => {
    const stream = aStream()
    const broken = { ...event('Broken'), data: { n: 1n } }
    await expect(store().append(stream, 'no_stream', [event('A'), broken])).rejects.toThrow(TypeError)
    await expect(store().append(stream, 3, [event('A'), event('B')])).rejects.toThrow(ConcurrencyConflict)
    expect(await read(store(), stream)).toEqual([])
  })

  it('long streams that read in pages', async () => {
    const stream = aStream()
    for (let revision = -1; revision < 1199; revision += 300) {
      await store().append(stream, revision < 0 ? 'no_stream' : revision, many(300, 'Counted'))
    }
    const events = await read(store(), stream)
    expect(events.map(({ revision }) => revision)).toEqual(Array.from({ length: 1200 }, (_, n) => n))
  })
}

/** A store without `appendAll` passes: nothing may rely on it. */
function appendAllContract(store: () => EventStore): void {
  const appendAll = async (...parts: readonly (readonly [string, Expected, readonly NewEvent[]])[]) =>
    store().appendAll!(parts.map(([stream, expected, events]) => ({ stream, expected, events })))
  const types = async (stream: string) => (await read(store(), stream)).map(({ type }) => type)

  it('in one commit, in the order of the streams', async ({ skip }) => {
    skip(!store().appendAll, 'the store cannot append to several streams')
    const [held, task] = [aStream('z'), aStream('a')]
    await store().append(held, 'no_stream', [event('Granted')])
    const [first, second] = await appendAll([held, 0, [event('Held')]], [task, 'no_stream', many(2, 'Task')])
    expect([first!.revision, second!.revision]).toEqual([1, 1])
    const [, heldEvent] = await read(store(), held)
    const taskEvents = await read(store(), task)
    expect(heldEvent!.position).toBe(first!.position)
    expect(taskEvents.map(({ position }) => position > first!.position)).toEqual([true, true])
    expect(taskEvents[1]!.position).toBe(second!.position)
  })

  it.for([0, 1, 2])('and stores nothing if stream %i is at another revision', async (taken, { skip }) => {
    skip(!store().appendAll, 'the store cannot append to several streams')
    const streams = [aStream(), aStream(), aStream()]
    await store().append(streams[taken]!, 'no_stream', [event('Earlier')])
    const error = await appendAll(...streams.map((name) => [name, 'no_stream', [event('A')]] as const)).catch((e) => e)
    expect(error).toBeInstanceOf(ConcurrencyConflict)
    expect(error).toMatchObject({ actual: 0, message: expect.stringContaining(streams[taken]!) })
    for (const [n, stream] of streams.entries()) expect(await types(stream)).toEqual(n === taken ? ['Earlier'] : [])
  })

  it('and recognises a repeated append, also after later events', async ({ skip }) => {
    skip(!store().appendAll, 'the store cannot append to several streams')
    const parts = [aStream(), aStream()].map((name) => [name, 'no_stream', many(2, 'A')] as const)
    const stored = await appendAll(...parts)
    expect(await appendAll(...parts)).toEqual(stored)
    await store().append(parts[1]![0], 1, [event('Later')])
    expect(await appendAll(...parts)).toEqual(stored)
    expect(await types(parts[1]![0])).toEqual(['A', 'A', 'Later'])
  })

  it('beside others that conflict, each on its own', async ({ skip }) => {
    skip(!store().appendAll, 'the store cannot append to several streams')
    const [shared, ...own] = [aStream(), aStream(), aStream(), aStream()]
    const race = own.map((name) => appendAll([name, 'no_stream', [event('A')]], [shared!, 'no_stream', [event('S')]]))
    const alone = store().append(aStream(), 'no_stream', [event('B')])
    const results = await Promise.allSettled(race)
    expect((await alone).revision).toBe(0)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await types(shared!)).toEqual(['S'])
    for (const [n, { status }] of results.entries())
      expect(await types(own[n]!)).toEqual(status === 'fulfilled' ? ['A'] : [])
  })
}

function contentContract(store: () => EventStore): void {
  it('Unicode and nested JSON', async () => {
    const data = {
      text: '視頻 🎬 "quoted" \\ \n\t é \u2028 \\u0000',
      nested: { list: [1, -2.5, 1e21, true, false, null, [], {}, ['a', { b: 'c' }]] },
      'a key ключ': '',
      largest: Number.MAX_SAFE_INTEGER,
    }
    const stream = aStream('視頻')
    const meta = { actor: 'user:é', list: [1] }
    await store().append(stream, 'no_stream', [{ ...event('Überprüft', data), meta }])
    const [stored] = await read(store(), stream)
    expect(stored).toMatchObject({ stream, type: 'Überprüft', data, meta })
  })

  it('missing metadata as an empty object', async () => {
    const stream = aStream()
    await store().append(stream, 'no_stream', [{ id: randomUUID(), type: 'A', data: {} }])
    expect((await read(store(), stream))[0]!.meta).toEqual({})
  })

  it('900 kB in one append and rejects 1.1 MB', async () => {
    const stream = aStream()
    await store().append(stream, 'no_stream', [event('Large', { text: 'x'.repeat(900_000) })])
    const tooLarge = [event('TooLarge', { text: 'x'.repeat(1_100_000) })]
    await expect(store().append(stream, 0, tooLarge)).rejects.toThrow(RangeError)
    expect((await read(store(), stream)).map(({ data }) => JSON.stringify(data).length)).toEqual([900_011])
  })

  it.for([
    ['data that is not an object', { data: 'text' as never }, TypeError],
    ['data that is not JSON', { data: (() => 1) as never }, TypeError],
    ['an id that is not a UUID', { id: 'one' }, TypeError],
    ['a NUL character', { data: { text: 'a\u0000b' } }, TypeError],
    ['half a surrogate pair', { data: { text: '\ud83c' } }, TypeError],
  ] as const)('and refuses %s', async ([, part, error]) => {
    const stream = aStream()
    await expect(store().append(stream, 'any', [{ ...event('A'), ...part }])).rejects.toThrow(error)
    await expect(store().append(stream, 'any', [])).rejects.toThrow(RangeError)
    expect(await read(store(), stream)).toEqual([])
  })
}

function concurrencyContract(store: () => EventStore): void {
  it('accepts one of ten racing appends', async () => {
    const stream = aStream()
    const race = Array.from({ length: 10 }, () => store().append(stream, 'no_stream', [event('A'), event('B')]))
    const results = await Promise.allSettled(race)
    const lost = results.filter((result) => result.status === 'rejected')
    expect(lost).toHaveLength(9)
    for (const { reason } of lost) expect(reason).toBeInstanceOf(ConcurrencyConflict)
    expect(await read(store(), stream)).toHaveLength(2)
  })

  it('keeps the events of 32 writers and delivers them to a live subscriber in commit order', async () => {
    const [category, writers, rounds] = [`w${randomUUID().slice(0, 8)}`, 32, 25]
    const seen = follow(store(), { prefixes: [`${category}-`], until: ({ length }) => length >= writers * rounds })
    const acknowledged = await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const positions: string[] = []
        for (let round = 0; round < rounds; round++) {
          const expected = round === 0 ? 'no_stream' : round - 1
          const { position } = await store().append(`${category}-${writer}`, expected, [event('Written', { round })])
          expect(positions.every((earlier) => earlier < position)).toBe(true)
          positions.push(position)
        }
        return positions
      }),
    )
    const { events, batches } = await seen
    expect(events.map(({ position }) => position)).toEqual(acknowledged.flat().sort())
    expect(new Set(ids(events)).size).toBe(writers * rounds)
    for (const [index, batch] of batches.entries()) {
      expect(index === 0 || batches[index - 1]!.position < batch.position).toBe(true)
    }
  })
}
