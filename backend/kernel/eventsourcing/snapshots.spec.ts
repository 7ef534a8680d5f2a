import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Stored } from './eventStore.port.ts'
import { createHandle } from './handle.ts'
import { StreamBroken } from './pure/applyStored.ts'
import type { Decider, Event } from './pure/decider.ts'
import { eventHash } from './pure/eventHash.ts'
import { verifyHeads } from './recordedHeads.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'
import { createMemorySnapshots } from './testing/memorySnapshots.ts'

type Paid = Event<'Paid', { amount: number }>
const purse: Decider<{ sum: number }, number, Paid> = {
  category: 'purse',
  schemas: { Paid: [] },
  initial: { sum: 0 },
  evolve: ({ sum }, { data }) => ({ sum: sum + data.amount }),
  decide: (amount) => (amount === 0 ? [] : [{ type: 'Paid', data: { amount } }]),
  hashChained: true,
  snapshotVersion: 1,
}
const unchained: typeof purse = { ...purse, hashChained: undefined as never }
const stream = 'purse-1'

function setup(decider = purse) {
  const store = createMemoryEventStore()
  const snapshots = createMemorySnapshots()
  const { readStream } = store
  let read = 0
  store.readStream = async function* <E extends Event>(name: string, from?: number) {
    for await (const event of readStream<E>(name, from)) {
      read++
      yield event
    }
  }
  const payWith = (handle: ReturnType<typeof createHandle>, amount: number) =>
    handle(decider, '1', amount, { commandId: randomUUID(), actor: 'system', correlationId: 'c' })
  const pay = async (times: number, handle = createHandle(store, { snapshots })) =>
    void (await Promise.all(Array.from({ length: times }, () => payWith(handle, 1))))
  return {
    store,
    snapshots,
    pay,
    payWith,
    /** Reads the sum in a new process, and how many events it read. */
    restart: async (by = decider) => {
      read = 0
      const { state } = await createHandle(store, { snapshots }).read(by, '1')
      return { sum: state.sum, read }
    },
  }
}

/** Changes the snapshot, as a process with the installation's key could. */
const change = ({ snapshots }: ReturnType<typeof setup>, patch: object) =>
  snapshots.saved.set(stream, { ...snapshots.saved.get(stream)!, ...patch })

describe.each([
  ['hash-chained', purse],
  ['other', unchained],
])('a snapshot of a %s stream', (_, decider) => {
  it('is taken every 1,000 events and spares a new process the events before it', async () => {
    const world = setup(decider)
    await world.pay(999)
    expect(world.snapshots.saved.size).toBe(0)
    await world.pay(1_500)
    expect(await world.restart()).toEqual({ sum: 2_499, read: expect.any(Number) })
    expect((await world.restart()).read).toBeLessThan(1_001)
  })

  it('continues the stream as if it had been read from its start', async () => {
    const world = setup(decider)
    await world.pay(1_200)
    await world.pay(50)
    world.snapshots.saved.clear()
    expect((await world.restart()).sum).toBe(1_250)
  })

  it('is discarded if the log ends before it, because an older log was restored', async () => {
    const world = setup(decider)
    await world.pay(1_200)
    world.store.log.length = 900
    expect(await world.restart()).toEqual({ sum: 900, read: 900 })
  })

  it('is discarded if the log has another event in its place', async () => {
    const [world, other] = [setup(decider), setup(decider)]
    await world.pay(1_200)
    await other.payWith(createHandle(other.store), 5)
    await other.pay(1_500, createHandle(other.store))
    other.snapshots.saved.set(stream, world.snapshots.saved.get(stream)!)
    expect((await other.restart()).sum).toBe(1_505)
  })

  it('is discarded if its hash was replaced', async () => {
    const world = setup(decider)
    await world.pay(1_200)
    change(world, { state: { sum: 1_000_000 }, hash: 'f'.repeat(64) })
    expect((await world.restart()).sum).toBe(1_200)
  })

  it('is discarded if another version of the decider made it, and is replaced', async () => {
    const world = setup(decider)
    await world.pay(1_200)
    expect(await world.restart({ ...decider, snapshotVersion: 2 })).toEqual({ sum: 1_200, read: 1_200 })
    expect(world.snapshots.saved.get(stream)).toMatchObject({ version: 2, revision: 1_199 })
    expect((await world.restart({ ...decider, snapshotVersion: 2 })).read).toBe(1)
  })

  it('is not taken of streams without a snapshot version', async () => {
    const { snapshotVersion: _version, ...none } = decider
    const world = setup(none)
    await world.pay(1_500)
    expect(world.snapshots.saved.size).toBe(0)
  })
})

describe('a stream with a snapshot', () => {
  it('is broken if the event after the snapshot does not follow it', async () => {
    const world = setup()
    await world.pay(1_200)
    await world.pay(1)
    const { revision } = world.snapshots.saved.get(stream)!
    const next = world.store.log[revision + 1]!
    world.store.log[revision + 1] = { ...next, meta: { ...next.meta, previousHash: 'f'.repeat(64) } } as Stored
    await expect(world.restart()).rejects.toBeInstanceOf(StreamBroken)
  })

  it('is broken if its last event, after the snapshot, was edited or removed', async () => {
    const world = setup()
    await world.pay(1_200)
    for (let n = 0; n < 3; n++) await world.pay(1)
    const { log } = world.store
    const last = log.at(-1)!
    const head = { revision: last.revision, hash: eventHash(last) }
    const read = () =>
      createHandle(
        verifyHeads(world.store, async () => head),
        { snapshots: world.snapshots },
      ).read(purse, '1')
    expect((await read()).state.sum).toBe(1_203)
    log[log.length - 1] = { ...last, data: { amount: 60_000 } }
    await expect(read()).rejects.toBeInstanceOf(StreamBroken)
    log.pop()
    await expect(read()).rejects.toBeInstanceOf(StreamBroken)
  })

  it('is read once when two processes take snapshots of it', async () => {
    const world = setup()
    const [one, two] = [world, world].map(({ store, snapshots }) => createHandle(store, { snapshots })) as [
      ReturnType<typeof createHandle>,
      ReturnType<typeof createHandle>,
    ]
    for (let n = 0; n < 12; n++) await world.pay(100, n % 2 ? one : two)
    expect((await world.restart()).sum).toBe(1_200)
  })
})
