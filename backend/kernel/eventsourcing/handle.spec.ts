import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from './command.ts'
import { AppendOutcomeUnknown, ConcurrencyConflict } from './eventStore.port.ts'
import { createHandle } from './handle.ts'
import { StreamBusy } from './lane.ts'
import { type Decider, type Event, Rejection } from './pure/decider.ts'
import { chainStart, derivedId, eventHash } from './pure/eventHash.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'

type Taken = Event<'SeatTaken', { seat: string }>
type Command = { take: string }
const LIMIT = 3

/** A room with three seats. */
const room: Decider<readonly string[], Command, Taken> = {
  category: 'room',
  schemas: { SeatTaken: [] },
  initial: [],
  evolve: (seats, { data }) => [...seats, data.seat],
  decide: ({ take }, seats) => {
    if (take === 'bug') throw new TypeError('a fault in the decider')
    if (seats.includes(take)) return []
    if (seats.length >= LIMIT) throw new Rejection('room_full', 'No seat is left.')
    return [{ type: 'SeatTaken', data: { seat: take } }]
  },
  hashChained: true,
}

const context = (commandId: string): CommandContext => ({ commandId, actor: 'user:1', correlationId: 'request' })
const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error) => (error instanceof Rejection ? error.code : error.name),
  )
const setup = () => {
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  const take = (seat: string, by = handle) => by(room, '1', { take: seat }, context(`take ${seat}`))
  return { store, handle, take, seats: () => store.log.map(({ data }) => (data as { seat: string }).seat) }
}

describe('handle', () => {
  it('stores the event with its derived id, its actor, and the hash of the previous event', async () => {
    const { store, take } = setup()
    await take('a')
    const { state, position } = await take('b')
    expect([state, position]).toEqual([['a', 'b'], store.log[1]!.position])
    const meta = { correlationId: 'request', actor: 'user:1', schema: 1 }
    const idOf = (seat: string, previousHash: string) =>
      derivedId(`take ${seat}`, 'room-1', 'SeatTaken', 0, JSON.stringify([{ seat }, { ...meta, previousHash }]))
    const stored = (seat: string, revision: number, previousHash: string) => ({
      id: idOf(seat, previousHash),
      type: 'SeatTaken',
      stream: 'room-1',
      revision,
      position: String(revision + 1).padStart(20, '0'),
      created: new Date(0),
      data: { seat },
      meta: { ...meta, previousHash },
    })
    expect(store.log).toEqual([stored('a', 0, chainStart('room-1')), stored('b', 1, eventHash(store.log[0]!))])
  })

  it('returns the position of the stream when no event is decided, and undefined for an empty stream', async () => {
    const { take, store, handle } = setup()
    await take('a')
    expect((await take('a')).position).toBe(store.log[0]!.position)
    const nothing: Decider<null, null, Taken> = {
      category: 'room',
      schemas: { SeatTaken: [] },
      initial: null,
      evolve: () => null,
      decide: () => [],
    }
    expect(await handle(nothing, 'empty', null, context('x'))).toEqual({ state: null, position: undefined })
  })

  it('appends waiting commands together and returns to each its own state', async () => {
    const { store, take } = setup()
    const answers = await Promise.all([take('a'), take('b'), take('c')])
    expect(answers.map(({ state }) => state)).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']])
    expect(store.appends).toEqual([1, 2])
  })

  it('rejects a command that an earlier one in its batch forbids, and stores the others', async () => {
    const { take, seats } = setup()
    const outcomes = await Promise.all(['a', 'b', 'c', 'd', 'a', 'e'].map((seat) => outcomeOf(take(seat))))
    expect(outcomes).toEqual(['taken', 'taken', 'taken', 'room_full', 'taken', 'room_full'])
    expect(seats()).toEqual(['a', 'b', 'c'])
  })

  it('fails only the command whose decider throws', async () => {
    const { take, seats } = setup()
    const outcomes = await Promise.all(['a', 'b', 'bug', 'c'].map((seat) => outcomeOf(take(seat))))
    expect(outcomes).toEqual(['taken', 'taken', 'TypeError', 'taken'])
    expect(seats()).toEqual(['a', 'b', 'c'])
  })
})

describe('two processes on one log', () => {
  it('decide on the log and not on a stale cache', async () => {
    const { store, take, seats } = setup()
    const other = createHandle(store)
    await take('a')
    await take('b', other)
    await take('c', other)
    expect(await outcomeOf(take('d'))).toBe('room_full')
    expect((await take('b')).state).toEqual(['a', 'b', 'c'])
    expect(seats()).toEqual(['a', 'b', 'c'])
  })

  it('do not mistake an event of another process for their own', async () => {
    const { store, handle, take } = setup()
    const other = createHandle(store)
    await take('a')
    await take('a', other)
    await take('b')
    // The cache of `other` is stale, and the events of a retry differ in their metadata.
    await other(room, '1', { take: 'b' }, { ...context('take b'), correlationId: 'retry' })
    await take('c', other)
    expect((await createHandle(store).read(room, '1')).state).toEqual(['a', 'b', 'c'])
    expect((await handle.read(room, '1')).state).toEqual(['a', 'b', 'c'])
  })

  it('do not reject a command for a stale reason', async () => {
    type Door = Event<'DoorOpened' | 'DoorClosed', Record<never, never>>
    const door: Decider<boolean, 'open' | 'close' | 'pass', Door> = {
      category: 'door',
      schemas: { DoorOpened: [], DoorClosed: [] },
      initial: false,
      evolve: (_, { type }) => type === 'DoorOpened',
      decide: (command, open) => {
        if (command === 'pass' && !open) throw new Rejection('closed', 'The door is closed.')
        if (command === 'pass') return []
        return [{ type: command === 'open' ? 'DoorOpened' : 'DoorClosed', data: {} }]
      },
    }
    const { store, handle } = setup()
    const other = createHandle(store)
    const close = handle(door, '1', 'close', context('close'))
    expect(await outcomeOf(close)).toBe('taken')
    await other(door, '1', 'open', context('open'))
    expect(await outcomeOf(handle(door, '1', 'pass', context('pass')))).toBe('taken')
  })

  it('keep one hash chain over 500 racing commands and lose none', async () => {
    type Counted = Event<'Counted', { n: number }>
    const counter: Decider<number, number, Counted> = {
      category: 'counter',
      schemas: { Counted: [] },
      initial: 0,
      evolve: (count) => count + 1,
      decide: (n) => [{ type: 'Counted', data: { n } }],
      hashChained: true,
    }
    const { store, handle } = setup()
    const other = createHandle(store)
    const numbers = Array.from({ length: 500 }, (_, n) => n)
    await Promise.all(
      numbers.map(async (n) => {
        for (let turns = (n * 7) % 50; turns > 0; turns--) await turn()
        await (n % 2 ? handle : other)(counter, '1', n, context(`count ${n}`))
      }),
    )
    expect(store.log.map(({ data }) => (data as { n: number }).n).toSorted((a, b) => a - b)).toEqual(numbers)
    let hash = chainStart('counter-1')
    for (const event of store.log) {
      expect(event.meta.previousHash).toBe(hash)
      hash = eventHash(event)
    }
  })
})

describe('an append whose outcome is unknown', () => {
  it('is stored once when it had succeeded', async () => {
    const { store, take, seats } = setup()
    await take('a')
    const append = store.append
    store.append = async (...call) => {
      store.append = append
      await append(...call)
      throw new AppendOutcomeUnknown('room-1')
    }
    expect(await take('b')).toEqual({ state: ['a', 'b'], position: '00000000000000000002' })
    expect([seats(), store.appends]).toEqual([
      ['a', 'b'],
      [1, 1],
    ])
  })

  it('is stored when it had failed', async () => {
    const { store, take, seats } = setup()
    const append = store.append
    store.append = async () => {
      store.append = append
      throw new AppendOutcomeUnknown('room-1')
    }
    expect((await take('a')).state).toEqual(['a'])
    expect(seats()).toEqual(['a'])
  })

  it('throws StreamBusy after 20 conflicts and reads the stream again for the next command', async () => {
    const { store, take, seats } = setup()
    const append = store.append
    let tries = 0
    store.append = async () => {
      tries++
      throw new ConcurrencyConflict('room-1', 0, 1)
    }
    await expect(take('a')).rejects.toBeInstanceOf(StreamBusy)
    expect(tries).toBe(20)
    store.append = append
    await take('b')
    expect(seats()).toEqual(['b'])
  })

  it('fails the commands in flight when the store fails, and handles later ones', async () => {
    const { store, take, seats } = setup()
    await take('a')
    const append = store.append
    store.append = async () => {
      store.append = append
      throw new Error('the disk is full')
    }
    await expect(take('b')).rejects.toThrow('the disk is full')
    await take('c')
    expect(seats()).toEqual(['a', 'c'])
  })
})

describe('handle.read', () => {
  it('appends nothing', async () => {
    const { store, handle, take } = setup()
    await take('a')
    const { state, position } = await handle.read(room, '1')
    expect([state, position, store.log.length]).toEqual([['a'], store.log[0]!.position, 1])
  })

  it('returns the initial state of an empty stream', async () => {
    expect(await setup().handle.read(room, '1')).toEqual({ state: [], position: undefined })
  })

  it('sees events of another process', async () => {
    const { store, handle, take } = setup()
    await take('a')
    await take('b', createHandle(store))
    expect((await handle.read(room, '1')).state).toEqual(['a', 'b'])
  })

  it('sees the result of commands sent before it', async () => {
    const { handle, take } = setup()
    void take('a')
    expect((await handle.read(room, '1')).state).toEqual(['a'])
  })
})

describe('cached lanes', () => {
  it('are evicted beyond the budget and read again when needed', async () => {
    const store = createMemoryEventStore()
    const handle = createHandle(store, { cacheBytes: 7_000 })
    for (const id of ['1', '2', '3', '1'])
      await handle(room, id, { take: `seat ${store.log.length}` }, context(`take ${store.log.length}`))
    const first = store.log.filter(({ stream }) => stream === 'room-1')
    expect(first.map(({ revision, data }) => [revision, data])).toEqual([
      [0, { seat: 'seat 0' }],
      [1, { seat: 'seat 3' }],
    ])
    expect(first[1]!.meta.previousHash).toBe(eventHash(first[0]!))
  })
})
