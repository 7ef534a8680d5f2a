import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startCuttableProxy } from '#backend/testing/cuttableProxy.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { AppendOutcomeUnknown, type EventStore, type GlobalPosition, StoreUnavailable } from '../eventStore.port.ts'
import { eventStoreContract } from '../testing/eventStoreContract.ts'
import { CHECKPOINTS } from '../testing/eventStoreDbTestReads.ts'
import { EventStoreDbTestServer } from '../testing/eventStoreDbTestServer.ts'
import { aStream, event, follow, ids, read } from '../testing/followLog.ts'
import { createTestAuthority } from '../testing/testCertificates.ts'
import { createEventStoreDb, type EventStoreDbOptions } from './eventStoreDb.ts'

const search = { maxSearchWindow: 20, checkpointInterval: 1 }

eventStoreContract('event store in EventStoreDB (the real client, a double of the server)', async () => {
  const server = await new EventStoreDbTestServer().start()
  const store = createEventStoreDb({ url: server.url, ...search })
  const close = async () => {
    await store.close()
    await eventually(() => expect([server.open, server.batches]).toEqual([0, 0]))
    server.kill()
  }
  return { store, close }
})

const url = process.env.EVENTSTORE_URL
describe.skipIf(!url)(`a real EventStoreDB${url ? '' : ' (skipped: EVENTSTORE_URL is not set)'}`, () => {
  eventStoreContract('event store in EventStoreDB', async () => {
    const store = createEventStoreDb({ url: url!, ...search })
    return { store, close: () => store.close() }
  })
})

describe('the EventStoreDB adapter over the wire', () => {
  const servers: EventStoreDbTestServer[] = []
  const stores: EventStore[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    for (const server of servers.splice(0)) server.kill()
  })

  const serve = async (options: ConstructorParameters<typeof EventStoreDbTestServer>[0] = {}) => {
    const server = await new EventStoreDbTestServer(options).start()
    servers.push(server)
    return server
  }
  const connect = (url: string, options: Partial<EventStoreDbOptions> = {}) => {
    const store = createEventStoreDb({ url, pauseBetween: () => 30, ...options })
    stores.push(store)
    return store
  }

  it('neither loses nor duplicates events when connections and answers are lost', async () => {
    let server = await serve()
    const { log, port } = server
    const store = connect(server.url, { appendAttempts: 40 })
    const restart = async () => {
      server.kill()
      server = await serve({ log, port })
    }
    const seen = follow(store, { prefixes: ['cut-'], until: ({ length }) => length >= 200 })
    for (let n = 0; n < 200; n++) {
      if (n === 60 || n === 120) await restart()
      if (n === 90) {
        server.trouble = (moment) => {
          if (moment === 'before') return undefined
          setImmediate(restart)
          return 'cut'
        }
      }
      await store.append('cut-1', n === 0 ? 'no_stream' : n - 1, [event('Counted', { n })])
    }
    const { events } = await seen
    expect(events.map(({ data }) => data)).toEqual(Array.from({ length: 200 }, (_, n) => ({ n })))
    expect(log.stream('cut-1')).toHaveLength(200)
  })

  it('recognises its first append after a lost answer', async () => {
    const server = await serve()
    const store = connect(server.url, { appendDeadline: 300 })
    let silent = 0
    server.trouble = (moment) => (moment === 'after' && silent++ === 0 ? 'silence' : undefined)
    const { revision } = await store.append('silent-1', 'no_stream', [event('A'), event('B')])
    expect(revision).toBe(1)
    expect(server.log.stream('silent-1')).toHaveLength(2)
    await eventually(() => expect(server.batches).toBe(1))
  })

  it('stores each append once when connections are cut while many are in flight', async () => {
    const server = await serve()
    const network = await startCuttableProxy({ host: '127.0.0.1', port: server.port })
    const store = connect(`esdb://127.0.0.1:${network.port}?tls=false`)
    let appends = 0
    server.trouble = (moment) => {
      if (moment === 'before' || appends++ % 25 !== 12) return undefined
      network.cut()
      return 'silence'
    }
    const [writers, rounds] = [8, 30]
    const write = async (writer: number) => {
      for (let n = 0; n < rounds; n++) {
        const { revision } = await store.append(`many-${writer}`, n === 0 ? 'no_stream' : n - 1, [event('A', { n })])
        expect(revision).toBe(n)
      }
    }
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    expect(server.log.all).toHaveLength(writers * rounds)
    expect(server.called.filter((method) => method === 'batchAppend').length).toBeGreaterThan(5)
    await network.close()
  })

  it('ignores the answer to an append that has timed out', async () => {
    const server = await serve()
    const held: (() => void)[] = []
    server.held = held
    const store = connect(server.url, { appendDeadline: 100 })
    // Waits longer, and keeps the first call open until it is answered, which is last.
    store.probe().catch(() => {})
    const appended = store.append('late-1', 'no_stream', [event('A')])
    await expect.poll(() => server.batches).toBeGreaterThan(1)
    server.held = undefined
    for (const send of held.reverse()) send()
    expect((await appended).revision).toBe(0)
    expect(server.log.stream('late-1')).toHaveLength(1)
    await eventually(() => expect(server.batches).toBe(1))
  })

  it.each([
    ['an invalid argument', status.INVALID_ARGUMENT, false],
    ['a failed precondition', status.FAILED_PRECONDITION, false],
    ['a denial after an answer', status.PERMISSION_DENIED, true],
  ])('stores an append once that waits in a call which ends with %s', async (name, code, isAnswered) => {
    const server = await serve()
    const held: (() => void)[] = []
    const store = connect(server.url)
    if (isAnswered) await store.append(`before ${name}`, 'no_stream', [event('A')])
    server.held = held
    const appended = store.append(name, 'no_stream', [event('A')])
    await expect.poll(() => held.length).toBe(1)
    server.held = undefined
    server.endBatches(code)
    expect((await appended).revision).toBe(0)
    expect(server.log.stream(name)).toHaveLength(1)
  })

  it('answers an append although another connection is cut while it waits', async () => {
    const [cut, other] = [await serve(), await serve()]
    const held: (() => void)[] = []
    cut.held = []
    other.held = held
    const lost = connect(cut.url, { appendAttempts: 1 }).append('lost-1', 'no_stream', [event('A')])
    const kept = connect(other.url).append('kept-1', 'no_stream', [event('A')])
    await expect.poll(() => [cut.held?.length, held.length]).toEqual([1, 1])
    cut.kill()
    await expect(lost).rejects.toThrow(AppendOutcomeUnknown)
    for (const send of held) send()
    expect((await kept).revision).toBe(0)
    expect(other.called.filter((method) => method === 'append')).toHaveLength(1)
  })

  it('throws AppendOutcomeUnknown when a retry is unsafe or retries are exhausted', async () => {
    const server = await serve()
    const store = connect(server.url, { appendAttempts: 3 })
    server.trouble = () => 'busy'
    await expect(store.append('busy-1', 'any', [event('A')])).rejects.toThrow(AppendOutcomeUnknown)
    expect(server.called.filter((method) => method === 'append')).toHaveLength(1)
    await expect(store.append('busy-1', 'no_stream', [event('A')])).rejects.toThrow(AppendOutcomeUnknown)
    expect(server.called.filter((method) => method === 'append')).toHaveLength(4)
  })

  it('retries while the server is busy, and follows the leader', async () => {
    const leader = await serve()
    const follower = await serve({ log: leader.log })
    follower.leader = { host: '127.0.0.1', port: leader.port }
    const store = connect(follower.url, { appendAttempts: 8 })
    let busy = 0
    leader.trouble = () => (busy++ < 2 ? 'busy' : undefined)
    expect((await store.append('led-1', 'no_stream', [event('A')])).revision).toBe(0)
    expect([follower.called, leader.called]).toEqual([
      expect.arrayContaining(['append']),
      expect.arrayContaining(['append']),
    ])
  })

  it('continues appends and subscriptions after a change of leader', async () => {
    const first = await serve()
    const second = await serve({ log: first.log })
    const members = [first, second].map(({ port }) => ({ host: '127.0.0.1', port }))
    for (const server of [first, second]) server.members = members
    second.leader = members[0]
    const patience = 'tls=false&maxDiscoverAttempts=3&discoveryInterval=20&gossipTimeout=1&nodePreference=random'
    const store = connect(`esdb://${members.map(({ host, port }) => `${host}:${port}`)}?${patience}`, {
      appendAttempts: 40,
    })
    const seen = follow(store, { prefixes: ['term-'], until: ({ length }) => length >= 40 })
    for (let n = 0; n < 40; n++) {
      if (n === 10) {
        // Both members stay up; the other one becomes the leader.
        first.leader = members[1]
        second.leader = undefined
      }
      if (n === 25) {
        first.leader = undefined
        first.members = second.members = members.slice(0, 1)
        second.kill()
      }
      await store.append('term-1', n === 0 ? 'no_stream' : n - 1, [event('Counted', { n })])
    }
    expect((await seen).events.map(({ data }) => data)).toEqual(Array.from({ length: 40 }, (_, n) => ({ n })))
    expect(first.log.stream('term-1')).toHaveLength(40)
  })

  it('throws StoreUnavailable when the server accepts a read and never answers', async () => {
    const server = await serve()
    const store = connect(server.url, { readDeadline: 100, giveUpAfter: 400 })
    await store.append('mute-1', 'no_stream', [event('A')])
    server.silentReads = true
    await expect(read(store, 'mute-1')).rejects.toThrow(StoreUnavailable)
    await expect(store.head()).rejects.toThrow(StoreUnavailable)
    const asked = server.called.length
    const reading = read(connect(server.url, { readDeadline: 100 }), 'mute-1')
    await expect.poll(() => server.called.length).toBeGreaterThan(asked)
    server.silentReads = false
    expect(await reading).toHaveLength(1)
    await eventually(() => expect(server.open).toBe(0))
  })

  it('throws StoreUnavailable in time although the clock has gone back', async () => {
    const server = await serve()
    const store = connect(server.url, { readDeadline: 100, giveUpAfter: 400 })
    server.silentReads = true
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const reading = read(store, 'mute-1').catch((error) => error)
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(await reading).toBeInstanceOf(StoreUnavailable)
  })

  it('continues a long read that is cut later than a call is given up', async () => {
    const server = await serve()
    const store = connect(server.url, { giveUpAfter: 10_000 })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const large = () => Array.from({ length: 9 }, () => event('Large', { text: 'x'.repeat(100_000) }))
    for (let n = 0; n < 20; n++) await store.append('long-1', n === 0 ? 'no_stream' : 9 * n - 1, large())
    const revisions: number[] = []
    for await (const { revision } of store.readStream('long-1')) {
      if (revision === 0) {
        vi.advanceTimersByTime(11_000)
        server.kill()
        await serve({ log: server.log, port: server.port })
      }
      revisions.push(revision)
    }
    expect(revisions).toEqual(Array.from({ length: 180 }, (_, n) => n))
  })

  it('resumes its subscription after a network that drops all packets', async () => {
    const server = await serve()
    const network = await startCuttableProxy({ host: '127.0.0.1', port: server.port })
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const store = connect(`esdb://127.0.0.1:${network.port}?tls=false&keepAliveInterval=300&keepAliveTimeout=300`)
    warn.mockRestore()
    let heard = 0
    const until = ({ length }: readonly unknown[]) => {
      heard = length
      return length >= 3
    }
    const seen = follow(store, { prefixes: ['dark-'], until })
    const direct = connect(server.url)
    await direct.append('dark-1', 'no_stream', [event('Before')])
    await expect.poll(() => heard).toBe(1)
    network.strand()
    await direct.append('dark-1', 0, [event('Meanwhile')])
    await direct.append('dark-1', 1, [event('After')])
    expect((await seen).events.map(({ type }) => type)).toEqual(['Before', 'Meanwhile', 'After'])
    await network.close()
  })

  it('connects over TLS with a private CA and sends credentials on every call', async () => {
    const authority = createTestAuthority()
    const server = await serve({ tls: authority.issue() })
    const store = connect(server.url, { ca: authority.ca })
    await store.append('sealed-1', 'no_stream', [event('A')])
    expect(await read(store, 'sealed-1')).toHaveLength(1)
    expect((await follow(store, { until: (_, live) => live })).events).toHaveLength(1)
    const basic = `Basic ${Buffer.from('kinora:pass word').toString('base64')}`
    expect([...server.authorizations]).toEqual([basic])
    const stranger = connect(server.url, { appendAttempts: 2, giveUpAfter: 500 })
    await expect(stranger.append('sealed-1', 0, [event('B')])).rejects.toThrow(AppendOutcomeUnknown)
    expect(server.log.stream('sealed-1')).toHaveLength(1)
    authority.remove()
  })

  it('closes the call when a read loop ends early', async () => {
    const server = await serve()
    const store = connect(server.url)
    const large = () => Array.from({ length: 50 }, () => event('Large', { text: 'x'.repeat(2000) }))
    for (let n = 0; n < 10; n++) await store.append('many-1', 'any', large())
    for (let n = 0; n < 60; n++) {
      for await (const { revision } of store.readStream('many-1', n)) if (revision >= n) break
    }
    for await (const _ of store.subscribeAll({ signal: new AbortController().signal, maxBatch: 3 })) break
    await eventually(() => expect(server.open).toBe(0))
    await store.close()
  })

  it('connects to a cluster that starts later', async () => {
    const probe = await serve()
    const { port } = probe
    probe.kill()
    const hosts = `127.0.0.1:${port},localhost:${port}`
    const patience = 'tls=false&maxDiscoverAttempts=2&discoveryInterval=20&gossipTimeout=1'
    const pauseBetween = vi.fn(() => 150)
    const store = connect(`esdb://${hosts}?${patience}`, { pauseBetween, appendAttempts: 1_000 })
    const seen = follow(store, { until: ({ length }) => length > 0 })
    const appended = store.append('early-1', 'no_stream', [event('Up')])
    await expect.poll(() => pauseBetween.mock.calls.length).toBeGreaterThan(2)
    const server = new EventStoreDbTestServer({ port })
    server.members = [{ host: '127.0.0.1', port }]
    servers.push(await server.start())
    expect((await appended).revision).toBe(0)
    expect((await seen).events.map(({ type }) => type)).toEqual(['Up'])
  })

  it.for(Object.keys(CHECKPOINTS) as (keyof typeof CHECKPOINTS)[])(
    'delivers every event once across restarts when checkpoints are %s',
    async (kind) => {
      const server = await serve()
      server.checkpoints = CHECKPOINTS[kind]
      const store = connect(server.url, { maxSearchWindow: 4, checkpointInterval: 1 })
      const appendNoise = async () => {
        for (let n = 0; n < 7; n++) await store.append(aStream('noise'), 'any', [event('Noise')])
      }
      await appendNoise()
      let from: GlobalPosition | undefined
      for (let round = 0; round < 20; round++) {
        const [signal, later] = [event('Signal', { round }), event('Signal', { round, isLate: true })]
        let appended: Promise<unknown> | undefined
        const append = async () => {
          await appendNoise()
          await store.append('signal-1', 'any', [signal])
        }
        const onLive = () => {
          appended ??= append()
        }
        const wanted = round === 0 ? 1 : 2
        const seen = await follow(store, {
          prefixes: ['signal-'],
          from,
          onLive,
          until: ({ length }) => length >= wanted,
        })
        expect(ids(seen.events).at(-1)).toBe(signal.id)
        expect(seen.events).toHaveLength(wanted)
        await appended
        from = seen.batches.at(-1)!.position
        await appendNoise()
        await store.append('signal-1', 'any', [later])
      }
    },
  )

  it('never delivers system events', async () => {
    const server = await serve()
    const store = connect(server.url, search)
    const own = { id: crypto.randomUUID(), json: true, data: Buffer.from('{}'), meta: Buffer.from('{}') }
    const stream = aStream()
    server.log.append('$settings', 'any', [{ ...own, type: '$updated' }])
    await store.append(stream, 'any', [event('A')])
    server.log.append(stream, 'any', [{ ...own, type: '$>' }])
    const { events, batches } = await follow(store, { until: (_, live) => live })
    expect(events.map(({ type }) => type)).toEqual(['A'])
    expect(batches.at(-1)!.position > events[0]!.position).toBe(true)
  })

  it('rejects invalid input before it reaches the client', async () => {
    const server = await serve()
    const store = connect(server.url)
    await expect(store.append('bad-1', 'any', [{ ...event('A'), data: { n: 1n } }])).rejects.toThrow(TypeError)
    await expect(store.append('bad-1', 'any', [event('A', {}, 'not-a-uuid')])).rejects.toThrow(TypeError)
    await expect(store.append('bad-1', 'any', [event('A', { x: 'x'.repeat(1_100_000) })])).rejects.toThrow(RangeError)
    await expect(store.append('bad-1', 'any', [])).rejects.toThrow(RangeError)
    expect(server.called).toEqual([])
  })

  it('ends its subscriptions on close and rejects further appends', async () => {
    const server = await serve()
    const store = connect(server.url)
    await store.append('closed-1', 'any', [event('A')])
    const live = Promise.withResolvers<void>()
    const seen = Array.fromAsync(store.subscribeAll({ signal: new AbortController().signal, onLive: live.resolve }))
    await live.promise
    await store.close()
    expect((await seen).flatMap(({ events }) => events)).toHaveLength(1)
    await expect(store.append('closed-1', 'any', [event('A')])).rejects.toThrow(/closed/)
    expect(await read(connect(server.url), 'closed-1')).toHaveLength(1)
  })
})
