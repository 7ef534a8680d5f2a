import { expect, it } from 'vitest'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import golden from '#backend/tasks/testing/goldenEvents.json' with { type: 'json' }
import { foldVideoTask, rowAfter } from './readVideoTasks.ts'

it('folds events that are not stored yet into the row that the log gives', async () => {
  const store = createMemoryEventStore()
  const submitted = golden.filter(({ type }) => type === 'VideoTaskSubmitted').at(-1)!
  const { id, stream, type, data, meta } = submitted
  await store.append(stream, 'no_stream', [{ id, type, data, meta }])
  const row = rowAfter([{ id, type, data, meta }])
  expect(row).toMatchObject({ id: stream.slice('videoTask-'.length), status: 'Preparing', percent: null })
  expect(row).toEqual(await foldVideoTask(store, row!.id))
  expect(rowAfter([])).toBeUndefined()
})
