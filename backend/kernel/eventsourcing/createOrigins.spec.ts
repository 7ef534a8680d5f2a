import { expect, it } from 'vitest'
import { createOrigins } from './createOrigins.ts'
import { createMemoryEventStore } from './testing/memoryEventStore.ts'

const first = { id: '8a45dbfd-7882-8bb0-a2c2-475f002b645e', type: 'RoomBooked', data: {} }
const meta = { correlationId: 'request' }

it('finds the same origin for a remembered event as for a stored one, without reading', async () => {
  const store = createMemoryEventStore()
  for (const [stream, event] of Object.entries({
    'room-1': { ...first, meta },
    'room-2': { ...first, id: first.id },
  })) {
    await store.append(stream, 'no_stream', [event])
    const remembering = createOrigins({
      readStream: () => {
        throw new Error('read')
      },
    })
    remembering.remember(stream, event)
    const found = await createOrigins(store)(stream)
    expect(found).toEqual({ correlationId: stream === 'room-1' ? 'request' : first.id, causationId: first.id })
    expect(await remembering(stream)).toEqual(found)
  }
})
