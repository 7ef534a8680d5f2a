import { beforeEach, describe, expect, it } from 'vitest'
import { createCredits } from '#backend/credits/credits.ts'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle, type Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import {
  createMemoryEventStore,
  type MemoryEventStore,
} from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { VideoTaskOrder } from '#backend/tasks/events.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { createAccountActivities } from './accountActivities.ts'

const userId = 'user'
const tasks = ['first', 'second']
const at = '2026-01-01T00:00:00.000Z'
const running = { signal: new AbortController().signal }
const context = { commandId: 'command', actor: 'user', correlationId: 'request' } as const

let store: MemoryEventStore
let handle: Handle
/** What an erasure has removed: tasks at the provider, files, uploads, rows. */
let removed: string[]
/** Throws for what cannot be removed. */
let refuse: (what: string) => void

beforeEach(async () => {
  store = createMemoryEventStore()
  handle = createHandle(store)
  removed = []
  refuse = () => {}
  const credits = createCredits(handle, () => Date.parse(at))
  await credits.grantFreeCredits(userId, 60)
  for (const taskId of tasks) {
    const hold = { userId, taskId, amount: 30, openLimit: 2 }
    await credits.hold(hold, { ...context, commandId: `hold ${taskId}` }).send()
    const order = { taskId, userId, firstFrame: null, priority: 4 } as VideoTaskOrder
    await handle(videoTask, taskId, { type: 'Submit', order, at }, { ...context, commandId: taskId })
  }
})

/** Creates the activities with a log of their own, which fails commands as `refuse` says. */
function activities() {
  const remove = async (what: string) => {
    refuse(what)
    removed.push(what)
  }
  const log: Handle = Object.assign(
    (async (decider: never, id: string, ...rest: [never, never]) => {
      refuse(`stream ${id}`)
      return handle(decider, id, ...rest)
    }) as unknown as Handle,
    { read: handle.read, peek: handle.peek, step: handle.step },
  )
  return createAccountActivities({
    store,
    handle: log,
    findOrigin: createOrigins(store),
    credits: createCredits(handle, () => Date.parse(at)),
    providers: new Map([['demo', { discard: (taskId: string) => remove(`job ${taskId}`) }]]),
    media: { remove },
    showProgress: async () => {},
    removeUploads: () => remove('uploads'),
    endTeams: () => remove('teams'),
    erasures: { removeRows: () => remove('rows'), record: () => remove('record') },
    calendar: () => Date.parse(at),
    clock: () => Date.parse(at),
  } as never)
}

const all = ['teams', 'job first', 'videos/first.mp4', 'job second', 'videos/second.mp4', 'uploads', 'rows', 'record']
const relevant = () => removed.filter((what) => all.includes(what))
const stateOf = async (taskId: string) => (await handle.read(videoTask, taskId)).state.status
const refusing =
  (name: string, error = new Error(`${name} is refused`)) =>
  (what: string) => {
    if (what === name) throw error
  }

describe('an erasure', () => {
  it.each(['job first', 'videos/first.mp4', 'uploads'])(
    'removes everything else, and the rows, while %s cannot be removed, and then the rest',
    async (name) => {
      refuse = refusing(name)
      const { erase } = activities()
      await expect(erase({ userId }, running)).rejects.toThrow(`${name} is refused`)
      expect(relevant()).toEqual(all.filter((what) => what !== name))
      expect(await Promise.all(tasks.map(stateOf))).toEqual(['deleted', 'deleted'])
      expect(store.log.filter(({ type }) => type === 'CreditsReleased')).toHaveLength(2)
      refuse = () => {}
      removed = []
      await erase({ userId }, running)
      expect(relevant()).toEqual(all)
      expect(store.log.filter(({ type }) => type === 'CreditsReleased')).toHaveLength(2)
    },
  )

  it.each(['user', 'first'])('removes everything else, and the rows, while the stream of %s is broken', async (id) => {
    refuse = refusing(`stream ${id}`, new StreamBroken('a hash differs'))
    await expect(activities().erase({ userId }, running)).rejects.toThrow('a hash differs')
    expect(relevant()).toEqual(all)
    expect(await stateOf('second')).toBe('deleted')
  })

  it('keeps the rows while the log is away, because a waiting task would be made without its prompt', async () => {
    refuse = refusing('stream second')
    await expect(activities().erase({ userId }, running)).rejects.toThrow('is refused')
    expect(relevant()).not.toContain('rows')
  })
})
