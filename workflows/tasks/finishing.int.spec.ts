import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { anOrder } from '#backend/tasks/testing/anOrder.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { activityDeps, providerDouble } from '../testing/activityDeps.ts'
import { createTaskActivities } from './taskActivities.ts'

const FILMS = ['1', '2', '3', '4', '5', '6', '7', '8']
const context = { signal: new AbortController().signal }
/** Turns of the event loop in which a start that waits for nothing reaches the provider. */
const TURNS = 200

let folder: string | undefined
afterEach(async () => {
  if (folder) await rm(folder, { recursive: true })
})

it('finishes films before it starts others', async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kinora-finishing-'))
  const film = await makeTinyVideo()
  const created: string[] = []
  const marking: PromiseWithResolvers<never>[] = []
  const provider = {
    ...providerDouble(() => ({ kind: 'finished' })),
    create: async ({ taskId }: { taskId: string }) => {
      created.push(taskId)
      return { kind: 'accepted', jobId: taskId } as const
    },
    fetch: (_: string, target: string) => copyFile(film, target),
  }
  const store = createMemoryEventStore()
  const deps = activityDeps({ handle: createHandle(store), store, provider, clock: () => Date.UTC(2026, 0, 1) })
  const activities = createTaskActivities({
    ...deps,
    temporaryDir: folder,
    media: { ...deps.media, size: async () => undefined },
    marker: {
      ...deps.marker,
      markVideo: () => marking[marking.push(Promise.withResolvers<never>()) - 1]!.promise,
    },
  })
  const input = (taskId: string) => ({ taskId, userId: 'user' })
  const submit = (taskId: string) => {
    const command = { type: 'Submit', order: { ...anOrder(), taskId }, at: '2026-01-01T00:00:00.000Z' } as const
    return deps.handle(videoTask, taskId, command, { commandId: taskId, actor: 'system', correlationId: taskId })
  }
  for (const taskId of [...FILMS, 'next']) await submit(taskId)
  for (const taskId of FILMS) await activities.render(input(taskId), context)
  const stored = Promise.allSettled(FILMS.map((taskId) => activities.store(input(taskId), context)))
  await eventually(() => expect(marking).toHaveLength(FILMS.length))

  const rendered = activities.render(input('next'), context)
  for (let turn = 0; turn < TURNS; turn++) await nextTurn()
  expect(created).toEqual(FILMS)
  marking[0]!.reject(new Error('cannot be marked'))
  await rendered
  expect(created).toEqual([...FILMS, 'next'])

  for (const { reject } of marking) reject(new Error('cannot be marked'))
  await stored
})
