import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from './command.ts'
import { ConcurrencyConflict, type EventStore } from './eventStore.port.ts'
import { createHandle } from './handle.ts'
import type { Decider, Event } from './pure/decider.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'
import { createMemorySnapshots } from './testing/memorySnapshots.ts'

type Taken = Event<'SeatTaken', { seat: string }>

/** A room in which each seat is taken once. Not hash-chained. */
const room: Decider<readonly string[], string, Taken> = {
  category: 'room',
  schemas: { SeatTaken: [] },
  initial: [],
  weight: () => 1,
  evolve: (seats, { data }) => [...seats, data.seat],
  decide: (seat, seats) => (seats.includes(seat) ? [] : [{ type: 'SeatTaken', data: { seat } }]),
  begins: (seat) => seat.startsWith('first'),
}

const context = (commandId: string): CommandContext => ({ commandId, actor: 'user:1', correlationId: 'request' })

/** A store that records how it is called. `gate` holds appends to room 1 back. */
function setup() {
  const memory = createMemoryEventStore()
  const calls: string[] = []
  const gate = { open: Promise.resolve() }
  const store: EventStore = {
    ...memory,
    async append(stream, expected, events) {
      calls.push(`append ${events.length} to ${stream} at ${expected}`)
      if (stream === 'room-1') await gate.open
      return memory.append(stream, expected, events)
    },
    readStream<E extends Event>(stream: string, from = 0) {
      calls.push(`read ${stream} from ${from}`)
      return memory.readStream<E>(stream, from)
    },
  }
  // Enough for one lane.
  const handle = createHandle(store, { cacheBytes: 1_500 })
  const take = (seat: string, id = '1') => handle(room, id, seat, context(`take ${seat}`))
  /** Returns the calls since the last time. */
  const newCalls = () => calls.splice(0)
  return { store, memory, gate, handle, take, newCalls }
}

describe('a lane', () => {
  it('reads its stream once and then decides on its cached state', async () => {
    const { take, newCalls } = setup()
    await take('a')
    await take('b')
    expect(newCalls()).toEqual(['read room-1 from 0', 'append 1 to room-1 at no_stream', 'append 1 to room-1 at 0'])
  })

  it('does not read a stream before the command that usually begins it', async () => {
    const { take, newCalls } = setup()
    expect((await take('first')).state).toEqual(['first'])
    expect((await take('b')).state).toEqual(['first', 'b'])
    expect(newCalls()).toEqual(['append 1 to room-1 at no_stream', 'append 1 to room-1 at 0'])
  })

  it('decides such a command again if the stream exists', async () => {
    const { memory, take, newCalls } = setup()
    await createHandle(memory)(room, '1', 'b', context('take b'))
    expect((await take('first')).state).toEqual(['b', 'first'])
    expect(newCalls()).toEqual(['append 1 to room-1 at no_stream', 'read room-1 from 0', 'append 1 to room-1 at 0'])
    await createHandle(memory)(room, '2', 'first', context('take first elsewhere'))
    expect((await take('first', '2')).state).toEqual(['first'])
    expect(memory.log.map(({ stream }) => stream)).toEqual(['room-1', 'room-1', 'room-2'])
  })

  it('reads the stream if such a command is rejected or decides nothing without it', async () => {
    const { memory, store, newCalls } = setup()
    const strict = {
      ...room,
      decide: (seat: string, seats: readonly string[]) => {
        if (seats.length === 0) throw new Error('the room is not open')
        return room.decide(seat, seats)
      },
    }
    await createHandle(memory)(room, '1', 'b', context('take b'))
    expect((await createHandle(store)(strict, '1', 'first', context('take first'))).state).toEqual(['b', 'first'])
    await expect(createHandle(store)(strict, '2', 'first', context('take first'))).rejects.toThrow('not open')
    expect(newCalls()).toContain('read room-2 from 0')
  })

  it('reports the first event of each stream that it creates or reads', async () => {
    const { store } = setup()
    const first: string[] = []
    const onFirst = (stream: string, { data }: { data: object }) => void first.push(`${stream} ${JSON.stringify(data)}`)
    for (const handle of [1, 2].map(() => createHandle(store, { onFirst }))) {
      await Promise.all(['a', 'b'].map((seat) => handle(room, '1', seat, context(seat))))
      await handle(room, '1', 'c', context('c'))
      expect(first.splice(0)).toEqual(['room-1 {"seat":"a"}'])
    }
  })

  it('peeks at its cached state without reading, and reads without one', async () => {
    const { memory, handle, take, newCalls } = setup()
    await createHandle(memory)(room, '1', 'a', context('take a'))
    expect((await handle.peek(room, '1')).state).toEqual(['a'])
    await take('b')
    newCalls()
    expect((await handle.peek(room, '1')).state).toEqual(['a', 'b'])
    expect(newCalls()).toEqual([])
  })

  it('follows the events of other processes, and then neither reads nor conflicts', async () => {
    const { memory, handle, take, newCalls } = setup()
    await take('a')
    await createHandle(memory)(room, '1', 'b', context('take b'))
    for (const event of memory.log) handle.follow(event)
    newCalls()
    expect((await take('c')).state).toEqual(['a', 'b', 'c'])
    expect(newCalls()).toEqual(['append 1 to room-1 at 1'])
  })

  it.for([
    ['came before', 0],
    ['does not follow', 2],
  ] as const)('ignores an event that %s', async ([, n]) => {
    const { memory, handle, take } = setup()
    await take('a')
    for (const seat of ['b', 'c']) await createHandle(memory)(room, '1', seat, context(`take ${seat}`))
    handle.follow(memory.log[n]!)
    expect((await handle.peek(room, '1')).state).toEqual(['a'])
    expect((await take('d')).state).toEqual(['a', 'b', 'c', 'd'])
  })

  it('reads its stream after an event that it cannot apply', async () => {
    const { memory, handle, take, newCalls } = setup()
    await take('a')
    await createHandle(memory)(room, '1', 'b', context('take b'))
    newCalls()
    handle.follow({ ...memory.log[1]!, type: 'Unknown' })
    await take('c')
    expect(newCalls()).toEqual(['read room-1 from 0', 'append 1 to room-1 at 1'])
  })

  it('follows no event while it decides, and none of a stream that it does not know', async () => {
    const { memory, gate, handle, take, newCalls } = setup()
    await take('a')
    const opened = Promise.withResolvers<void>()
    gate.open = opened.promise
    const taken = take('c')
    await createHandle(memory)(room, '1', 'b', context('take b'))
    for (const event of memory.log) handle.follow(event)
    opened.resolve()
    expect((await taken).state).toEqual(['a', 'b', 'c'])
    newCalls()
    handle.follow({ ...memory.log[0]!, stream: 'other-1' })
    expect(newCalls()).toEqual([])
  })

  it('reads only the events that are new to it before it decides nothing', async () => {
    const { memory, take, newCalls } = setup()
    await take('a')
    await createHandle(memory)(room, '1', 'b', context('take b'))
    newCalls()
    expect((await take('a')).state).toEqual(['a', 'b'])
    expect(newCalls()).toEqual(['read room-1 from 1'])
  })

  it('reads before it decides while another process writes to the stream too, so that its appends do not conflict', async () => {
    const { memory, take, newCalls } = setup()
    const other = createHandle(memory)
    await take('a')
    for (const seat of ['b', 'd']) {
      await other(room, '1', seat, context(`take ${seat}`))
      newCalls()
      await take(`after ${seat}`)
    }
    expect(newCalls()).toEqual(['read room-1 from 3', 'append 1 to room-1 at 3'])
    for (const seat of ['e', 'f', 'g', 'h']) await take(seat)
    expect(newCalls()).toEqual([
      ...[5, 6, 7].flatMap((next) => [`read room-1 from ${next}`, `append 1 to room-1 at ${next - 1}`]),
      'append 1 to room-1 at 7',
    ])
  })

  it('does not read twice for a command that decides nothing on the state just read', async () => {
    const { memory, take, newCalls } = setup()
    await createHandle(memory)(room, '1', 'a', context('take a'))
    await take('a')
    expect(newCalls()).toEqual(['read room-1 from 0'])
  })

  it('reads the whole stream again after the store has failed', async () => {
    const { gate, take, newCalls } = setup()
    await take('a')
    newCalls()
    gate.open = Promise.reject(new Error('the disk is full'))
    await expect(take('b')).rejects.toThrow('the disk is full')
    gate.open = Promise.resolve()
    await take('c')
    expect(newCalls()).toEqual(['append 1 to room-1 at 0', 'read room-1 from 0', 'append 1 to room-1 at 0'])
  })

  it('appends at most 200 waiting commands together', async () => {
    const { handle, newCalls } = setup()
    const seats = Array.from({ length: 302 }, (_, n) => `seat ${n}`)
    await Promise.all(seats.map((seat) => handle(room, '1', seat, context(seat))))
    expect(newCalls().filter((call) => call.startsWith('append'))).toEqual([
      'append 1 to room-1 at no_stream',
      'append 200 to room-1 at 0',
      'append 101 to room-1 at 200',
    ])
  })

  it('fails with StreamBusy by name, which callers map to a status', async () => {
    const { store, take } = setup()
    store.append = async () => {
      throw new ConcurrencyConflict('room-1', 0, 1)
    }
    await expect(take('a')).rejects.toMatchObject({ name: 'StreamBusy' })
  })
})

describe('the snapshot of a stream', () => {
  it('is saved after an append that completes a thousand events, before anybody reads the stream', async () => {
    const snapshots = createMemorySnapshots()
    const handle = createHandle(createMemoryEventStore(), { snapshots })
    const decider = { ...room, snapshotVersion: 1 }
    const take = (n: number) => handle(decider, '1', `seat ${n}`, context(`take ${n}`))
    const saved = () => snapshots.saved.get('room-1')?.revision
    await take(0)
    await Promise.all(Array.from({ length: 998 }, (_, n) => take(n + 1)))
    expect(saved()).toBeUndefined()
    await take(999)
    expect(saved()).toBe(999)
  })
})

describe('the memory of lanes', () => {
  it('evicts an idle lane, whose stream is read again when needed', async () => {
    const { take, newCalls } = setup()
    for (const id of ['1', '2']) {
      await take('a', id)
      await setImmediate()
    }
    newCalls()
    await take('b')
    expect(newCalls()).toEqual(['read room-1 from 0', 'append 1 to room-1 at 0'])
  })

  it('keeps a lane whose append is in flight, so that its stream has one writer', async () => {
    const { gate, take, newCalls } = setup()
    await take('a')
    newCalls()
    const opened = Promise.withResolvers<void>()
    gate.open = opened.promise
    const first = take('b')
    await take('a', '2')
    await setImmediate()
    const second = take('c')
    opened.resolve()
    await Promise.all([first, second])
    expect(newCalls().filter((call) => call.includes('room-1'))).toEqual([
      'append 1 to room-1 at 0',
      'append 1 to room-1 at 1',
    ])
  })
})

describe('the metadata of an event', () => {
  it('names the cause of the command if it has one', async () => {
    const { memory, handle, take } = setup()
    await take('a')
    await handle(room, '1', 'b', { ...context('take b'), causationId: 'cause' })
    const meta = { correlationId: 'request', actor: 'user:1', schema: 1 }
    expect(memory.log.map((event) => event.meta)).toEqual([meta, { ...meta, causationId: 'cause' }])
  })
})
