import { describe, expect, it } from 'vitest'
import type { EventBatch, EventStore, GlobalPosition, Stored, SubscribeOptions } from './eventStore.port.ts'
import { event } from './testing/followLog.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'
import { watchDeliveries } from './watchDeliveries.ts'

type Options = SubscribeOptions & { readonly onLive?: () => void }

/** A log whose subscriptions deliver on `deliver`, and are deaf if the log is. */
function createWorld() {
  const memory = createMemoryEventStore()
  const calls: { from: GlobalPosition | undefined; deliver: () => void }[] = []
  const state = { now: 0, isDeaf: false }
  const told: string[] = []
  async function* subscribeAll(options: Options): AsyncGenerator<EventBatch> {
    let { from } = options
    const wakes: (() => void)[] = []
    const call = {
      from,
      deliver: () => {
        for (const wake of wakes.splice(0)) wake()
      },
    }
    calls.push(call)
    options.signal.addEventListener('abort', call.deliver)
    while (!options.signal.aborted) {
      const events: Stored[] = state.isDeaf ? [] : memory.log.filter(({ position }) => position > (from ?? ''))
      from = events.at(-1)?.position ?? from
      // A claim to be at the head, without the events before it.
      if (events.length > 0 || state.isDeaf)
        yield { events, position: memory.log.at(-1)!.position, live: true } satisfies EventBatch
      options.onLive?.()
      if (!options.signal.aborted) await new Promise<void>((resolve) => wakes.push(resolve))
    }
  }
  const deliveries = watchDeliveries({ ...memory, subscribeAll } as EventStore, {
    clock: () => state.now,
    onSilent: (silences) =>
      told.push(...silences.map(({ subscription, forMs }) => `${subscription} silent for ${forMs}`)),
    onRestart: (subscription) => told.push(`${subscription} restarted`),
  })
  const stopping = new AbortController()
  const received: string[] = []
  const lives: string[] = []
  const follow = async (name: string | undefined, handle: () => Promise<void> = async () => {}) => {
    const options = {
      name,
      signal: stopping.signal,
      onLive: () => lives.push('live'),
      onSilent: () => lives.push('silent'),
    }
    for await (const { events } of deliveries.store.subscribeAll(options as Options)) {
      received.push(...events.map(({ type }) => type))
      await handle()
    }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    ...{ deliveries, state, told, received, lives, calls, settle, follow, stop: () => stopping.abort() },
    append: (type: string) => memory.append('example-1', 'any', [event(type)]),
    /** Checks at an instant, in milliseconds. */
    async checkAt(now: number) {
      state.now = now
      await deliveries.check()
      await settle()
    },
  }
}

describe('a watched subscription', () => {
  it('that is deaf is found after 15 s, started again after 20 s, and loses nothing', async () => {
    const world = createWorld()
    await world.append('First')
    const done = world.follow('examples')
    await world.settle()
    world.state.isDeaf = true
    await world.append('Second')
    world.calls[0]!.deliver()
    await world.settle()
    await world.checkAt(1_000)
    await world.checkAt(15_000)
    expect(world.deliveries.silences()).toEqual([])
    await world.checkAt(16_000)
    expect(world.deliveries.silences()).toEqual([{ subscription: 'examples', forMs: 15_000 }])
    await world.checkAt(21_000)
    expect(world.told).toEqual(['examples silent for 15000', 'examples restarted', 'examples silent for 20000'])
    expect(world.calls.map(({ from }) => from)).toEqual([undefined, '1'.padStart(20, '0')])
    expect(world.deliveries.silences()).toHaveLength(1)
    world.state.isDeaf = false
    await world.checkAt(41_000)
    expect(world.received).toEqual(['First', 'Second'])
    expect(world.deliveries.silences()).toEqual([])
    world.stop()
    await done
  })

  it('does not claim to be at the head of the log while it is silent', async () => {
    const world = createWorld()
    const done = world.follow('examples')
    await world.settle()
    expect(world.lives).toEqual(['live'])
    world.state.isDeaf = true
    await world.append('Lost')
    await world.checkAt(0)
    await world.checkAt(20_000)
    expect(world.lives).toEqual(['live', 'silent'])
    world.stop()
    await done
  })

  it('is not silent while its caller handles what it delivered', async () => {
    const world = createWorld()
    const handled = Promise.withResolvers<void>()
    await world.append('Slow')
    const done = world.follow('examples', () => handled.promise)
    await world.settle()
    await world.append('Waiting')
    await world.checkAt(0)
    await world.checkAt(60_000)
    expect(world.told).toEqual([])
    world.stop()
    handled.resolve()
    await done
  })

  it('is not silent while the log does not grow', async () => {
    const world = createWorld()
    await world.append('Only')
    const done = world.follow('examples')
    await world.settle()
    for (const now of [0, 30_000, 3_600_000]) await world.checkAt(now)
    expect(world.told).toEqual([])
    world.stop()
    await done
  })
})
