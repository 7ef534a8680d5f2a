import { describe, expect, it } from 'vitest'
import { AppendOutcomeUnknown, type EventStore, StoreUnavailable, type StreamAppend } from './eventStore.port.ts'
import { createHandle, type Step } from './handle.ts'
import { type Decider, type Event, Rejection } from './pure/decider.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'

type Taken = Event<'SeatTaken', { seat: string }>

const room: Decider<readonly string[], string, Taken> = {
  category: 'room',
  schemas: { SeatTaken: [] },
  initial: [],
  evolve: (seats, { data }) => [...seats, data.seat],
  decide(seat, seats) {
    if (seat === 'refused') throw new Rejection('seat_refused', 'Take another seat.')
    return seats.includes(seat) ? [] : [{ type: 'SeatTaken', data: { seat } }]
  },
  begins: (seat) => seat.startsWith('first'),
}

function setup() {
  const store = createMemoryEventStore()
  /** Streams of each append to several. */
  const together: string[][] = []
  /** Errors that the next appends to several streams throw, before or after they are stored. */
  const faults: { error: Error; isStored: boolean }[] = []
  const appendAll = async (parts: readonly StreamAppend[]) => {
    const fault = faults.shift()
    if (fault && !fault.isStored) throw fault.error
    const appended = await store.appendAll!(parts)
    together.push(parts.map(({ stream }) => stream))
    if (fault) throw fault.error
    return appended
  }
  const readStream: EventStore['readStream'] = (stream, from) => store.readStream(stream, from)
  const handle = createHandle({ ...store, appendAll, readStream })
  const step = (id: string, seat: string) =>
    handle.step(room, id, seat, { commandId: `${seat} in ${id}`, actor: 'user:1', correlationId: 'c' })
  const seats = async (id: string) => (await createHandle(store).read(room, id)).state
  return { store, handle, step, seats, together, faults }
}

describe('a step with others that follow', () => {
  it('stores the events of all in one commit', async () => {
    const { step, seats, together } = setup()
    const { state, followed } = await step('1', 'a').sendWith(() => [step('2', 'first'), step('3', 'first')])
    expect([state, followed.map((each) => each?.state)]).toEqual([['a'], [['first'], ['first']]])
    expect(together).toEqual([['room-1', 'room-2', 'room-3']])
    expect([await seats('1'), await seats('2'), await seats('3')]).toEqual([['a'], ['first'], ['first']])
  })

  it('answers with the events of each, and with none for a repetition', async () => {
    const { store, step } = setup()
    const send = () => step('1', 'a').sendWith(() => [step('2', 'first')])
    const { appended, followed } = await send()
    const stored = async (stream: string) => (await Array.fromAsync(store.readStream(stream))).map(({ id }) => id)
    expect(appended?.map(({ id }) => id)).toEqual(await stored('room-1'))
    expect(followed[0]?.appended?.map(({ id }) => id)).toEqual(await stored('room-2'))
    expect((await send()).appended).toBeUndefined()
  })

  it('continues each stream from there', async () => {
    const { store, step, seats } = setup()
    await step('1', 'a').sendWith(() => [step('2', 'first')])
    const reads = store.log.length
    expect((await step('2', 'b').send()).state).toEqual(['first', 'b'])
    expect([store.log.length - reads, await seats('2')]).toEqual([1, ['first', 'b']])
  })

  it('chooses them by the state after it', async () => {
    const { step, seats } = setup()
    const follow = (state: readonly string[]) => (state.includes('a') ? [step('2', 'first')] : [])
    expect((await step('1', 'b').sendWith(follow)).followed).toEqual([])
    expect((await step('1', 'a').sendWith(follow)).followed).toHaveLength(1)
    expect(await seats('2')).toEqual(['first'])
  })

  it('leaves out the one that cannot be stored along, and those after it', async () => {
    const { step, seats, together } = setup()
    const steps = [step('2', 'refused'), step('3', 'first')] as const
    expect((await step('1', 'a').sendWith(() => steps)).followed).toEqual([])
    expect([together, await seats('2'), await seats('3')]).toEqual([[], [], []])
    // Its lane goes on.
    expect((await steps[1].send()).state).toEqual(['first'])
  })

  it('reads the streams of which nothing is known', async () => {
    const { store, step, seats, together } = setup()
    await createHandle(store)(room, '2', 'taken', { commandId: 'x', actor: 'system', correlationId: 'c' })
    await step('1', 'a').sendWith(() => [step('2', 'b'), step('3', 'b')])
    expect([together, await seats('2'), await seats('3')]).toEqual([
      [['room-1', 'room-2', 'room-3']],
      ['taken', 'b'],
      ['b'],
    ])
  })

  it('leaves out the one whose stream cannot be read', async () => {
    const { store, step, seats } = setup()
    const { readStream } = store
    store.readStream = (stream, from) => {
      if (stream === 'room-2') throw new StoreUnavailable('down')
      return readStream(stream, from)
    }
    const second = step('2', 'b')
    expect((await step('1', 'a').sendWith(() => [second])).followed).toEqual([])
    store.readStream = readStream
    expect([await seats('1'), (await second.send()).state]).toEqual([['a'], ['b']])
  })

  it('joins a stream to which another process writes too, without a conflict', async () => {
    const { store, step, seats, together } = setup()
    const other = createHandle(store)
    await step('2', 'first').send()
    for (const n of [1, 2]) {
      await other(room, '2', `other ${n}`, { commandId: `${n}`, actor: 'system', correlationId: 'c' })
      const second = step('2', `b${n}`)
      const { followed } = await step('1', `a${n}`).sendWith(() => [second])
      expect(followed).toHaveLength(n - 1)
      if (n === 1) await second.send()
    }
    expect(together).toEqual([['room-1', 'room-2']])
    expect(await seats('2')).toEqual(['first', 'other 1', 'b1', 'other 2', 'b2'])
  })

  it.for([
    ['is rejected', 'refused'],
    ['decides nothing', 'first'],
  ] as const)('leaves out one that %s', async ([, seat]) => {
    const { step, together } = setup()
    await step('2', 'first').send()
    expect((await step('1', 'a').sendWith(() => [step('2', seat)])).followed).toEqual([])
    expect(together).toEqual([])
  })

  it('sends none if it decides nothing itself', async () => {
    const { step, seats } = setup()
    await step('1', 'a').send()
    expect((await step('1', 'a').sendWith(() => [step('2', 'first')])).followed).toEqual([])
    expect(await seats('2')).toEqual([])
  })

  it('sends none if it is rejected', async () => {
    const { step, seats } = setup()
    await expect(step('1', 'refused').sendWith(() => [step('2', 'first')])).rejects.toThrow('Take another seat.')
    expect(await seats('2')).toEqual([])
  })

  it('goes alone after a conflict in a stream that follows', async () => {
    const { store, step, seats } = setup()
    await createHandle(store)(room, '2', 'taken', { commandId: 'x', actor: 'system', correlationId: 'c' })
    const second = step('2', 'first')
    expect((await step('1', 'a').sendWith(() => [second])).followed).toEqual([])
    expect([await seats('1'), await seats('2')]).toEqual([['a'], ['taken']])
    expect((await second.send()).state).toEqual(['taken', 'first'])
  })

  it.for([false, true])('takes effect once if the outcome is unknown (stored: %s)', async (isStored) => {
    const { step, seats, faults } = setup()
    faults.push({ error: new AppendOutcomeUnknown('lost'), isStored })
    const second = step('2', 'first')
    const { followed } = await step('1', 'a').sendWith(() => [second])
    expect(followed).toEqual([])
    expect((await second.send()).state).toEqual(['first'])
    expect([await seats('1'), await seats('2')]).toEqual([['a'], ['first']])
  })

  it('lets the other lanes go on if the store fails', async () => {
    const { step, seats, faults } = setup()
    faults.push({ error: new StoreUnavailable('down'), isStored: false })
    const second = step('2', 'first')
    const waiting: Promise<unknown>[] = []
    const following = () => {
      // Sent while the lane of room 2 takes part in the append.
      queueMicrotask(() => waiting.push(step('2', 'b').send()))
      return [second]
    }
    await expect(step('1', 'a').sendWith(following)).rejects.toThrow('down')
    await Promise.all(waiting)
    expect([await seats('1'), await seats('2')]).toEqual([[], ['b']])
  })

  it('is decided in a batch with others, of which only the first joins a lane', async () => {
    const { step, seats, together } = setup()
    await step('9', 'first').send()
    const sent = ['a', 'b', 'c'].map((seat) => ({ own: step('1', seat), shared: step('9', seat) }))
    // The first command is decided by itself; the others wait for it and share a batch.
    const results = await Promise.all([
      step('1', 'first').send(),
      ...sent.map(({ own, shared }) => own.sendWith(() => [shared])),
    ])
    expect(together).toEqual([['room-1', 'room-9']])
    const left = sent.filter((_, n) => !followedBy(results[n + 1]!))
    expect(left).toHaveLength(2)
    for (const { shared } of left) await shared.send()
    expect([await seats('1'), await seats('9')]).toEqual([
      ['first', 'a', 'b', 'c'],
      ['first', 'a', 'b', 'c'],
    ])
  })
})

const followedBy = (result: object): unknown => (result as { followed?: readonly unknown[] }).followed?.[0]

it('sends steps one after the other where the store appends to one stream only', async () => {
  const { appendAll: _, ...store } = createMemoryEventStore()
  const handle = createHandle(store)
  const step = (id: string, seat: string): Step<readonly string[]> =>
    handle.step(room, id, seat, { commandId: `${seat} in ${id}`, actor: 'user:1', correlationId: 'c' })
  const second = step('2', 'first')
  expect((await step('1', 'first').sendWith(() => [second])).followed).toEqual([])
  expect((await second.send()).state).toEqual(['first'])
})
