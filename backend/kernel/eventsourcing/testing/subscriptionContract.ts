import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { pause } from '../../backoff.ts'
import type { EventStore } from '../eventStore.port.ts'
import { aStream, event, follow, ids, many } from './followLog.ts'

/** Defines the contract suite of `subscribeAll`. */
export function subscriptionContract(store: () => EventStore): void {
  it('to existing events, then to new ones', async () => {
    const category = `h${randomUUID().slice(0, 8)}`
    const [history, news] = [many(50, 'Old'), many(10, 'New')]
    for (const [n, old] of history.entries()) await store().append(`${category}-${n % 7}`, 'any', [old])
    const appendNews = async () => {
      for (const fresh of news) await store().append(`${category}-x`, 'any', [fresh])
    }
    let appending: Promise<void> | undefined
    const { events } = await follow(store(), {
      prefixes: [`${category}-`],
      onLive: () => {
        appending ??= appendNews()
      },
      until: ({ length }) => length >= 60,
    })
    await appending
    expect(ids(events)).toEqual(ids([...history, ...news]))
  })

  it('to an event that is appended after a wait at the head of a log in which nothing matched', async () => {
    const stream = aStream('unmatched')
    for (let n = 0; n < 50; n++) await store().append(aStream('noise'), 'any', [event('Noise')])
    const fresh = event('Fresh')
    let appended: Promise<unknown> | undefined
    const { events, batches } = await follow(store(), {
      prefixes: [stream],
      onLive: () => {
        appended ??= store().append(stream, 'no_stream', [fresh])
      },
      until: ({ length }) => length > 0,
    })
    await appended
    expect(ids(events)).toEqual([fresh.id])
    // A position from before the event, or its own, makes a later subscription complete.
    const again = await follow(store(), {
      prefixes: [stream],
      from: batches.at(-1)!.position,
      until: (_, live) => live,
    })
    expect(again.events).toEqual([])
  })

  it('to streams with one of the prefixes', async () => {
    const [one, two, three] = [aStream('one'), aStream('t_o'), aStream('three')]
    for (const stream of [one, two, three, two.replace('_', 'w')]) await store().append(stream, 'any', [event('A')])
    const { events } = await follow(store(), {
      prefixes: [one.slice(0, -1), two.slice(0, -1)],
      until: (_, live) => live,
    })
    expect(events.map(({ stream }) => stream)).toEqual([one, two])
  })

  it('to every stream of the application when no prefix is given', async () => {
    const streams = [aStream('a'), aStream('b')]
    for (const stream of streams) await store().append(stream, 'any', [event('A')])
    const { events } = await follow(store(), { until: (_, live) => live })
    expect(events.slice(-2).map(({ stream }) => stream)).toEqual(streams)
    expect(events.filter(({ stream, type }) => stream.startsWith('$') || type.startsWith('$'))).toEqual([])
  })

  it('from an exclusive position', async () => {
    const stream = aStream()
    const { position } = await store().append(stream, 'any', many(3, 'A'))
    await store().append(stream, 'any', many(2, 'B'))
    const options = { prefixes: [stream] as const, until: (_: unknown, live: boolean) => live }
    const { events, batches } = await follow(store(), { ...options, from: position })
    expect(events.map(({ type }) => type)).toEqual(['B', 'B'])
    const again = await follow(store(), { ...options, from: batches.at(-1)!.position })
    expect(again.events).toEqual([])
  })

  it('and checkpoints only after delivering everything before', async () => {
    const category = `c${randomUUID().slice(0, 8)}`
    const noise = aStream('noise')
    for (let n = 0; n < 40; n++) {
      await store().append(noise, 'any', many(9, 'Noise'))
      await store().append(`${category}-${n % 3}`, 'any', [event('Signal', { n })])
    }
    await store().append(noise, 'any', many(50, 'Noise'))
    const { events, batches } = await follow(store(), {
      prefixes: [`${category}-`],
      maxBatch: 3,
      slow: 3,
      until: (_, live) => live,
    })
    expect(events.map(({ data }) => data)).toEqual(Array.from({ length: 40 }, (_, n) => ({ n })))
    let delivered = 0
    for (const batch of batches) {
      delivered += batch.events.length
      expect(batch.events.length).toBeLessThanOrEqual(3)
      expect(events.filter(({ position }) => position <= batch.position)).toHaveLength(delivered)
    }
    // The position includes trailing events without a match, so that a restart does not scan them again.
    expect(batches.at(-1)!.position > events.at(-1)!.position).toBe(true)
  })

  it('to events of which it can tell the newest', async () => {
    const [stream, other] = [aStream('newest'), aStream('other')]
    expect(await store().newest([stream])).toBeUndefined()
    await store().append(stream, 'any', many(2, 'A'))
    const { position } = await store().append(stream, 'any', many(2, 'B'))
    await store().append(other, 'any', [event('C')])
    expect(await store().newest([stream, aStream()])).toBe(position)
    expect((await store().newest())! > position).toBe(true)
  })

  it('until the signal aborts', async () => {
    const leaving = new AbortController()
    const subscription = store().subscribeAll({ signal: leaving.signal, streamPrefixes: [aStream()] })
    const ended = Array.fromAsync(subscription)
    await pause(100)
    const asked = Date.now()
    leaving.abort()
    await ended
    expect(Date.now() - asked).toBeLessThan(500)
    expect(await Array.fromAsync(store().subscribeAll({ signal: leaving.signal }))).toEqual([])
  })
}
