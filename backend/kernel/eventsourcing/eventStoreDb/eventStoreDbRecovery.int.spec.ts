import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { AppendOutcomeUnknown, type EventStore, type NewEvent } from '../eventStore.port.ts'
import { startTestCluster, type TestCluster } from '../testing/eventStoreDbTestCluster.ts'
import { event } from '../testing/followLog.ts'
import { createEventStoreDb } from './eventStoreDb.ts'

const OUTAGE_MS = FULL ? 15_000 : 4_000
const ELECTION_MS = 1_000
const LIMIT_MS = 5_000
const WRITERS = 8

/** Appends numbered events to one stream until it is stopped, repeating each until it is accepted. */
function startWriter(store: EventStore, stream: string) {
  const accepted: { id: string; at: number }[] = []
  let stopped = false
  const appendUntilAccepted = async (expected: 'no_stream' | number, events: readonly NewEvent[]) => {
    for (;;) {
      try {
        return await store.append(stream, expected, events)
      } catch (error) {
        if (stopped) return
        if (!(error instanceof AppendOutcomeUnknown)) throw error
      }
    }
  }
  const run = async () => {
    for (let n = 0; !stopped; n++) {
      const next = event('Counted', { n })
      await appendUntilAccepted(n === 0 ? 'no_stream' : n - 1, [next])
      accepted.push({ id: next.id, at: Date.now() })
      await wait(100)
    }
  }
  const done = run()
  const stop = () => {
    stopped = true
    return done
  }
  return { accepted, stop }
}

/** Follows the log until `halt` aborts, and records when each event arrived. */
async function followInto(store: EventStore, delivered: Map<string, number>, halt: AbortSignal): Promise<void> {
  for await (const { events } of store.subscribeAll({ streamPrefixes: ['count-'], signal: halt }))
    for (const { id } of events) delivered.set(id, Date.now())
}

const until = (condition: () => boolean) => eventually(() => expect(condition()).toBe(true))

/** Runs writers and a reader during `fault`, which returns the time at which the cluster could accept appends again. */
async function measure(what: string, size: number, fault: (cluster: TestCluster) => Promise<number>) {
  const cluster = await startTestCluster(size)
  const store = createEventStoreDb({ url: cluster.url })
  const halt = new AbortController()
  const delivered = new Map<string, number>()
  const following = followInto(store, delivered, halt.signal)
  const writers = Array.from({ length: WRITERS }, (_, n) => startWriter(store, `count-${n}`))
  try {
    await until(() => delivered.size > WRITERS)
    const back = await fault(cluster)
    const since = async (times: () => number[]) => {
      const after = () => times().find((at) => at > back)
      await until(() => after() !== undefined)
      return after()! - back
    }
    const [firstDelivery, ...appends] = await Promise.all([
      since(() => [...delivered.values()]),
      ...writers.map(({ accepted }) => since(() => accepted.map(({ at }) => at))),
    ])
    await Promise.all(writers.map(({ stop }) => stop()))
    const sent = writers.flatMap(({ accepted }) => accepted.map(({ id }) => id))
    await until(() => delivered.size >= sent.length)
    expect(new Set(delivered.keys())).toEqual(new Set(sent))
    console.log(
      `${what}: first append accepted after ${Math.min(...appends)} ms, of every writer after ${Math.max(...appends)} ms, ` +
        `first event delivered after ${firstDelivery} ms; ${sent.length} appends, none lost`,
    )
    if (FULL) expect(Math.max(firstDelivery, ...appends)).toBeLessThan(LIMIT_MS)
  } finally {
    halt.abort()
    const stopped = writers.map(({ stop }) => stop())
    await store.close()
    await Promise.all(stopped)
    await following
    await cluster.close()
  }
}

describe('recovery of the EventStoreDB adapter, against servers in processes of their own', {
  concurrent: true,
}, () => {
  it('after a killed server is back', () =>
    measure('killed', 1, async (cluster) => {
      await cluster.kill(0)
      await wait(OUTAGE_MS)
      await cluster.start(0)
      return Date.now()
    }))

  it('after a paused server continues', () =>
    measure('paused', 1, async (cluster) => {
      cluster.pause(0)
      await wait(OUTAGE_MS)
      cluster.resume(0)
      return Date.now()
    }))

  it('after the leader was killed and another is elected', () =>
    measure('leader killed', 3, async (cluster) => {
      await cluster.kill(0)
      cluster.elect(undefined, [0])
      await wait(ELECTION_MS)
      cluster.elect(1, [0])
      return Date.now()
    }))

  it('after the leader stopped answering and another is elected', () =>
    measure('leader paused', 3, async (cluster) => {
      cluster.pause(0)
      await wait(ELECTION_MS)
      cluster.elect(1, [0])
      return Date.now()
    }))

  it('after the leader resigned', () =>
    measure('leader resigned', 3, async (cluster) => {
      cluster.elect(undefined)
      await wait(ELECTION_MS)
      cluster.elect(2)
      return Date.now()
    }))
})
