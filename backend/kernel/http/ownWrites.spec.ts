import { describe, expect, it, vi } from 'vitest'
import type { GlobalPosition } from '../eventsourcing/eventStore.port.ts'
import type { Change, Changes } from '../postgres/changes.ts'
import { changesOf } from '../postgres/notify.ts'
import { createOwnWrites } from './ownWrites.ts'

const [FIRST, SECOND] = ['01', '02'] as GlobalPosition[]

interface Sent {
  readonly values: readonly [payloads: string]
}

/** Returns the changes that a statement notifies of. */
const changesIn = ({ values: [payloads] }: Sent) => (JSON.parse(payloads) as string[]).flatMap(changesOf)

/** API processes that share one notification channel. */
function processes(count: number) {
  const listeners: ((change: Change) => void)[] = []
  const pool = {
    query: async (sent: Sent) => {
      for (const change of changesIn(sent)) for (const listener of listeners) listener(change)
    },
  }
  return Array.from({ length: count }, () => {
    const waitFor = vi.fn(async () => {})
    const subscribe = (listener: (change: Change) => void) => {
      listeners.push(listener)
      return () => {}
    }
    const changes = { waitFor, subscribe } as Partial<Changes> as Changes
    return { waitFor, ...createOwnWrites(changes, pool as never) }
  })
}

describe('own writes', () => {
  it('make the next read of the user wait once, in every process', async () => {
    const apis = processes(2)
    await apis[0]!.note('user', { videoTasks: FIRST, creditBalances: undefined })
    for (const { shown, waitFor } of apis) {
      await shown('another user')
      expect(waitFor).not.toHaveBeenCalled()
      await Promise.all([shown('user'), shown('user')])
      await shown('user')
      expect(waitFor.mock.calls).toEqual([['videoTasks']].map((names) => [names, FIRST, 2_000]))
    }
  })

  it('wait for the latest position of each read model', async () => {
    const [api] = processes(1)
    await api!.note('user', { videoTasks: SECOND })
    await api!.note('user', { videoTasks: FIRST, creditBalances: FIRST })
    await api!.shown('user')
    expect(api!.waitFor.mock.calls).toEqual([
      [['videoTasks'], SECOND, 2_000],
      [['creditBalances'], FIRST, 2_000],
    ])
  })

  it('share a notification that follows the one in flight', async () => {
    const sent: { users: string[]; done: () => void }[] = []
    const query = (statement: Sent) =>
      new Promise<void>((done) => {
        sent.push({ users: changesIn(statement).flatMap(({ ids }) => ids), done })
      })
    const changes = { subscribe: () => () => {} } as Partial<Changes> as Changes
    const { note } = createOwnWrites(changes, { query } as never)
    const answered: string[] = []
    const noted = async (user: string) => {
      await note(user, { videoTasks: FIRST })
      answered.push(user)
    }
    const all = [noted('a')]
    await expect.poll(() => sent).toHaveLength(1)
    all.push(noted('b'), noted('c'))
    sent[0]!.done()
    await expect.poll(() => sent.map(({ users }) => users)).toEqual([['a'], ['b', 'c']])
    expect(answered).toEqual(['a'])
    sent[1]!.done()
    await Promise.all(all)
  })

  it('accept a write that other processes cannot be told about', async () => {
    const [api] = processes(1)
    const pool = { query: () => Promise.reject(new Error('the database is down')) }
    const changes = { waitFor: api!.waitFor, subscribe: () => () => {} } as Partial<Changes> as Changes
    const { note, shown } = createOwnWrites(changes, pool as never)
    await note('user', { videoTasks: FIRST })
    await shown('user')
    expect(api!.waitFor).toHaveBeenCalledOnce()
  })
})
