import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { CommandContext } from './command.ts'
import type { Stored } from './eventStore.port.ts'
import { createHandle } from './handle.ts'
import type { Decider, Event } from './pure/decider.ts'
import { Quarantine } from './quarantine.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'

type Paid = Event<'Paid', { cents: number }>
const purse: Decider<number, number, Paid> = {
  category: 'purse',
  schemas: { Paid: [] },
  initial: 0,
  evolve: (sum, { data }) => sum + data.cents,
  decide: (cents) => [{ type: 'Paid', data: { cents } }],
  hashChained: true,
}
const unchained: Decider<number, number, Paid> = { ...purse, category: 'pocket', hashChained: undefined! }

/** The same purse in a later release, whose amounts carry a currency. */
type Priced = Event<'Paid', { cents: number; currency: string }>
const nextPurse: Decider<Record<string, number>, number, Priced> = {
  category: 'purse',
  schemas: { Paid: [(data) => ({ ...data, currency: 'USD' })] },
  initial: {},
  evolve: (sums, { data: { cents, currency } }) => ({ ...sums, [currency]: (sums[currency] ?? 0) + cents }),
  decide: (cents) => [{ type: 'Paid', data: { cents, currency: 'EUR' } }],
  hashChained: true,
}

const RETRY_MS = 1_000
let commands = 0
const context = (): CommandContext => ({ commandId: `pay ${++commands}`, actor: 'user:1', correlationId: 'request' })

/** A purse of three payments of one cent, as a new process finds it after `change`. */
async function changed(change: (log: Stored[]) => void, decider: typeof purse = purse) {
  const store = createMemoryEventStore()
  for (let n = 0; n < 3; n++) await createHandle(store)(decider, '1', 1, context())
  const intact = [...store.log]
  change(store.log)
  const log = { error: vi.fn(), info: vi.fn() }
  const quarantine = new Quarantine(log, RETRY_MS)
  const handle = createHandle(store, { quarantine })
  const pay = (id = '1', by: Decider<never, number, never> = decider as never) =>
    handle(by, id, 1, context()).then(
      ({ state }) => state as unknown,
      (error) => `${error.name}: ${error.message}`,
    )
  return { store, intact, log, quarantine, handle, pay }
}
const edit = (index: number, by: Partial<Stored>) => (log: Stored[]) => {
  log[index] = { ...log[index]!, ...by }
}
const schema = (version: unknown) => (log: Stored[]) => edit(2, { meta: { ...log[2]!.meta, schema: version } })(log)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => vi.useRealTimers()
})

describe('a command on a stream', () => {
  it.each<[string, (log: Stored[]) => void, string]>([
    ['whose first event was edited', edit(0, { data: { cents: 1_000 } }), 'revision 1: does not carry the hash'],
    ['whose second event was edited', edit(1, { data: { cents: 1_000 } }), 'revision 2: does not carry the hash'],
    ['with an event cut out of the middle', (log) => log.splice(1, 1), 'revision 2: follows revision 0'],
    ['whose first event is missing', (log) => log.splice(0, 1), 'revision 1: follows revision -1'],
    ['with an event stored twice', (log) => log.splice(1, 0, log[0]!), 'revision 0: follows revision 0'],
    ['with two events swapped', (log) => log.splice(0, 2, log[1]!, log[0]!), 'revision 1: follows revision -1'],
    ['with a link to another stream', edit(0, { meta: { previousHash: 'x' } }), 'revision 0: does not carry the hash'],
    ['whose last event has no data', edit(2, { data: null! }), 'revision 2: cannot be applied'],
  ])('%s is refused and appends nothing', async (_, change, fault) => {
    const { pay, store } = await changed(change)
    const before = [...store.log]
    expect(await pay()).toContain(`StreamBroken: purse-1, ${fault}`)
    expect(store.log).toEqual(before)
  })

  it('is refused after an event that the process has followed and that breaks the chain', async () => {
    const { store, handle, pay } = await changed(() => {})
    await pay()
    await createHandle(store)(purse, '1', 1, context())
    edit(4, { meta: { ...store.log[4]!.meta, previousHash: 'x' } })(store.log)
    handle.follow(store.log[4]!)
    expect(await pay()).toContain('StreamBroken: purse-1, revision 4: does not carry the hash')
    expect(store.log).toHaveLength(5)
  })

  it('without a hash chain is refused when an event is missing', async () => {
    const { pay } = await changed((log) => log.splice(1, 1), unchained)
    expect(await pay()).toContain('StreamBroken: pocket-1, revision 2: follows revision 0')
  })

  it.each<[string, (log: Stored[]) => void, string]>([
    ['a newer schema version', schema(2), 'unknown schema version 2 of Paid'],
    ['an invalid schema version', schema('1'), 'unknown schema version 1 of Paid'],
    ['an event type of a newer release', edit(2, { type: 'Refunded' as 'Paid' }), 'unknown event type Refunded'],
    [
      'the name of a built-in property as its type',
      edit(2, { type: 'toString' as 'Paid' }),
      'unknown event type toString',
    ],
  ])('is refused if it has an event with %s', async (_, change, fault) => {
    const { pay, quarantine } = await changed(change)
    expect(await pay()).toBe(`UnknownEvent: purse-1, revision 2: ${fault}`)
    expect([quarantine.count('newer'), quarantine.count('broken')]).toEqual([1, 0])
  })

  it('accepts events from before schema versions', async () => {
    const { pay } = await changed((log) => {
      const { schema: _, ...meta } = log[2]!.meta
      edit(2, { meta })(log)
    })
    expect(await pay()).toBe(4)
  })
})

describe('a decision that breaks what always holds', () => {
  const bounded: typeof purse = { ...purse, faultOf: ({ after }) => (after > 4 ? `leaves ${after} cents` : undefined) }

  it('is refused, stores nothing, and quarantines its stream for a while', async () => {
    const { handle, pay, store, quarantine, log } = await changed(() => {}, bounded)
    expect(await pay()).toBe(4)
    const before = [...store.log]
    const refused = 'UnsoundDecision: purse: Paid: leaves 5 cents'
    expect(await pay()).toBe(refused)
    expect(store.log).toEqual(before)
    expect(quarantine.count('unsound')).toBe(1)
    expect(log.error).toHaveBeenCalledWith(expect.objectContaining({ reason: 'unsound' }), 'stream quarantined')
    // Commands that would be right are refused as well, and other streams go on.
    const refund = () => handle(bounded, '1', -1, context())
    await expect(refund()).rejects.toThrow('leaves 5 cents')
    expect(await pay('2')).toBe(1)
    vi.advanceTimersByTime(RETRY_MS)
    expect(await refund()).toMatchObject({ state: 3 })
    expect(quarantine.count('unsound')).toBe(0)
  })

  it('fails alone among commands that are decided together', async () => {
    const { handle, pay } = await changed(() => {}, bounded)
    const by = (cents: number) =>
      handle(bounded, '1', cents, context()).then(
        ({ state }) => state,
        (error) => error.name,
      )
    // The first one is on its way while the others wait.
    expect(await Promise.all([by(0), by(1), by(9), by(-2)])).toEqual([3, 4, 'UnsoundDecision', 2])
    expect(await pay()).toContain('UnsoundDecision')
  })

  it('does not join the append of another stream, which is stored', async () => {
    const { handle, store } = await changed(() => {}, bounded)
    await handle(bounded, '2', 1, context())
    const following = () => [handle.step(bounded, '2', 9, context())]
    const { followed } = await handle.step(bounded, '1', 1, context()).sendWith(following)
    expect(followed).toEqual([])
    expect(store.log.map(({ stream }) => stream)).toEqual(['purse-1', 'purse-1', 'purse-1', 'purse-2', 'purse-1'])
  })
})

describe('a quarantined stream', () => {
  it('is reported once, and does not affect other streams', async () => {
    const { pay, log, quarantine } = await changed((log) => log.splice(1, 1))
    for (let n = 0; n < 3; n++) {
      await pay()
      vi.advanceTimersByTime(RETRY_MS)
    }
    expect(await pay('2')).toBe(1)
    expect(log.error.mock.calls.map(([{ stream, reason }, message]) => [stream, reason, message])).toEqual([
      ['purse-1', 'broken', 'stream quarantined'],
    ])
    expect(quarantine.count('broken')).toBe(1)
  })

  it('is read again only after the retry interval', async () => {
    const { pay, store } = await changed((log) => log.splice(1, 1))
    const read = vi.spyOn(store, 'readStream')
    const outcomes = [await pay(), await pay(), await pay()]
    expect([new Set(outcomes).size, read.mock.calls.length]).toEqual([1, 1])
    vi.advanceTimersByTime(RETRY_MS)
    await pay()
    expect(read).toHaveBeenCalledTimes(2)
  })

  it('is released when the stream is intact again', async () => {
    const { pay, store, intact, log, quarantine } = await changed((log) => log.splice(1, 1))
    await pay()
    store.log.splice(0, 2, ...intact)
    vi.advanceTimersByTime(RETRY_MS)
    expect(await pay()).toBe(4)
    expect(log.info.mock.calls).toEqual([[{ stream: 'purse-1' }, 'stream readable again']])
    expect(quarantine.count('broken')).toBe(0)
  })

  it('is detected in the events that another process appended', async () => {
    const { pay, store } = await changed(() => {})
    expect(await pay()).toBe(4)
    await createHandle(store)(purse, '1', 1, context())
    edit(4, { meta: { ...store.log[4]!.meta, previousHash: 'x' } })(store.log)
    expect(await pay()).toContain('StreamBroken: purse-1, revision 4')
  })
})

describe('an upcaster', () => {
  it('converts the events that an earlier release wrote, and the chain continues over their stored form', async () => {
    const { pay, store } = await changed(() => {})
    expect(await pay('1', nextPurse as never)).toEqual({ USD: 3, EUR: 1 })
    expect(store.log.map(({ meta, data }) => [meta.schema, data])).toEqual([
      ...Array.from({ length: 3 }, () => [1, { cents: 1 }]),
      [2, { cents: 1, currency: 'EUR' }],
    ])
    expect((await createHandle(store).read(nextPurse, '1')).state).toEqual({ USD: 3, EUR: 1 })
  })

  it('leaves the release that wrote the earlier schema unable to read the stream', async () => {
    const { store, handle } = await changed(() => {})
    await createHandle(store)(nextPurse, '1', 1, context())
    await expect(handle.read(purse, '1')).rejects.toThrow('unknown schema version 2 of Paid')
  })
})
