import { expect, it } from 'vitest'
import type { EventStore, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { PROJECTIONS } from '../all.ts'
import { streamPrefixesOf } from './projection.ts'
import { sharedReads } from './sharedReads.ts'

it('asks for the same pages for all projections, and delivers to each the streams of its own', async () => {
  const asked: object[] = []
  const log: Pick<EventStore, 'subscribeAll'> = {
    async *subscribeAll({ streamPrefixes = [''], maxBatch }) {
      asked.push({ streamPrefixes, maxBatch })
      const events = streamPrefixes.map((prefix) => ({ stream: `${prefix}1` }) as Stored)
      yield { events: events as never[], position: '1' as GlobalPosition, live: true }
    },
  }
  const shared = sharedReads(log, PROJECTIONS)
  for (const projection of PROJECTIONS) {
    const delivered: string[] = []
    const streamPrefixes = streamPrefixesOf(projection)
    const { signal } = new AbortController()
    for await (const { events } of shared.subscribeAll({ streamPrefixes, signal }))
      delivered.push(...events.map(({ stream }) => stream))
    expect(new Set(delivered.map((stream) => stream.slice(0, -1)))).toEqual(new Set(streamPrefixes))
  }
  expect(new Set(asked.map((each) => JSON.stringify(each))).size).toBe(1)
})
