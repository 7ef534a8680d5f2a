import { describe, expect, it } from 'vitest'
import type { GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { creditBalances } from '../credits/creditBalance.ts'
import { openTasks } from '../tasks/openTask.ts'
import { foldOrPark, keyEvents } from './foldOrPark.ts'
import { staleKeysOf } from './parkedEvents.ts'
import type { AnyProjection } from './projection.ts'

const [ann, ben] = ['a', 'b'].map((letter) => `${letter.repeat(8)}-0000-7000-8000-000000000000`) as [string, string]

const counting: AnyProjection = {
  ...creditBalances,
  schemas: { Counted: [({ count, ...data }) => ({ n: count, ...data })], Removed: [], Other: [] },
  row: ({ data }) => data.userId,
  on: {
    Counted: (row: { seen: number[] } | undefined, { data }) => {
      if (data.n < 0) throw new Error(`${data.n} is negative`)
      return { seen: [...(row?.seen ?? []), data.n] }
    },
    Removed: () => undefined,
  },
}

let position = 0
const event = (userId: unknown, n: number, type = 'Counted'): Stored => ({
  id: String(++position),
  type,
  data: { userId, n },
  stream: `counter-${userId}`,
  revision: 0,
  position: String(position).padStart(4, '0') as GlobalPosition,
  created: new Date(0),
  meta: { schema: type === 'Counted' ? 2 : 1 },
})

const fold = (events: readonly Stored[], rows = new Map<string, object>(), stale = new Set<string>()) => {
  const { changes, parked } = foldOrPark(counting, keyEvents(counting, events), rows, stale)
  return {
    rows: Object.fromEntries(changes),
    parked: parked.map(({ event, row, error }) => [row, (event.data as { n: number }).n, (error as Error)?.message]),
  }
}

describe('a fold', () => {
  it('starts from the current rows, deletes rows, and skips unhandled events', () => {
    const rows = new Map([[ann, { seen: [1] }]])
    expect(fold([event(ann, 2), event(ben, 3), event(ben, 0, 'Removed'), event(ann, 9, 'Other')], rows)).toEqual({
      rows: { [ann]: { seen: [1, 2] }, [ben]: undefined },
      parked: [],
    })
  })

  it('parks the events of a row in all streams once an event of its own stream has an unknown row', () => {
    const ofTask = (type: string, stream: string) => ({
      ...event(ann, 0, type),
      data: { taskId: ann },
      stream,
      meta: {},
    })
    const events = [
      ofTask('VideoTaskSubmittedLater', `videoTask-${ann}`),
      ofTask('RenderSlotReleased', `renderLane-${ben}`),
    ] as unknown as Stored[]
    const { changes, parked } = foldOrPark(openTasks, keyEvents(openTasks, events), new Map(), new Set())
    expect(parked.map(({ event: { type }, row }) => [type, row])).toEqual([
      ['VideoTaskSubmittedLater', `videoTask-${ann}`],
      ['RenderSlotReleased', `videoTask-${ann}`],
    ])
    expect(changes.size).toBe(0)
    const stale = new Set([`videoTask-${ann}`])
    expect(staleKeysOf(openTasks, keyEvents(openTasks, events.slice(1)))).toContain(`videoTask-${ann}`)
    expect(foldOrPark(openTasks, keyEvents(openTasks, events.slice(1)), new Map(), stale).parked).toHaveLength(1)
  })

  it('parks an event that throws and the later events of its row, and folds the events of other rows', () => {
    const events = [event(ann, 1), event(ann, -2), event(ben, 1), event(ann, 3), event(ben, 2)]
    expect(fold(events)).toEqual({
      rows: { [ann]: { seen: [1] }, [ben]: { seen: [1, 2] } },
      parked: [
        [ann, -2, '-2 is negative'],
        [ann, 3, undefined],
      ],
    })
  })

  it('parks the events of rows that are stale already', () => {
    expect(fold([event(ann, 1), event(ben, 1)], new Map(), new Set([ann]))).toEqual({
      rows: { [ben]: { seen: [1] } },
      parked: [[ann, 1, undefined]],
    })
  })

  it.each([undefined, 'no uuid', 7])('parks an event whose row id is %s, and the later events of its stream', (id) => {
    const later = { ...event(ann, 1), stream: `counter-${id}` }
    expect(fold([event(id, 1), later, event(ben, 1)])).toEqual({
      rows: { [ben]: { seen: [1] } },
      parked: [
        [`counter-${id}`, 1, expect.stringContaining('not a UUID')],
        [`counter-${id}`, 1, undefined],
      ],
    })
  })

  it('upcasts events of an older schema', () => {
    const older = { ...event(ann, 0), data: { userId: ann, count: 4 }, meta: { schema: 1 } }
    expect(fold([older, event(ann, 5)]).rows).toEqual({ [ann]: { seen: [4, 5] } })
  })

  it.each([
    ['a type that no context declares', { type: 'Recounted' }, 'unknown event type Recounted'],
    ['a built-in property as its type', { type: 'toString' }, 'unknown event type toString'],
    ['a newer schema', { meta: { schema: 3 } }, 'unknown schema version 3 of Counted'],
  ])('parks an event with %s, and the later events of its stream', (_, changes, fault) => {
    const unknown = { ...event(ann, 1), ...changes }
    expect(fold([unknown, event(ann, 2), event(ben, 1)])).toEqual({
      rows: { [ben]: { seen: [1] } },
      parked: [
        [unknown.stream, 1, expect.stringContaining(fault)],
        [unknown.stream, 2, undefined],
      ],
    })
  })
})
