import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Change } from '../kernel/postgres/changes.ts'

interface Row {
  readonly id: string
  readonly user_id: string
  status: string
}
const rows = new Map<string, Row>()
const reads: string[][] = []
let reading: Promise<void> | undefined
/** Errors of the next reads. */
const faults: Error[] = []
const errors: unknown[] = []
vi.mock('#projections/tasks/readVideoTasks.ts', () => ({
  readVideoTasks: async (_: unknown, ids: string[]) => {
    reads.push(ids)
    await reading
    const fault = faults.shift()
    if (fault) throw fault
    return ids.flatMap((id) => (rows.has(id) ? [{ ...rows.get(id)! }] : []))
  },
  readDeletedOwner: async () => 'user',
}))
vi.mock('./works.ts', () => ({ taskView: async (row: Row) => row }))
const { pushUpdates } = await import('./pushUpdates.ts')

let sent: object[]
let change: (name: string, ...ids: string[]) => void
let online: boolean
let isMember: boolean
let paused: Promise<void> | undefined
let credits: { remaining: number; total: number }
const settled = () => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  rows.clear()
  reads.length = 0
  reading = undefined
  paused = undefined
  sent = []
  online = true
  isMember = true
  credits = { remaining: 60, total: 60 }
  pushUpdates(
    {
      changes: {
        subscribe(listener: (change: Change) => void) {
          change = (name, ...ids) => listener({ name, ids })
          return () => {}
        },
      },
      realtime: {
        hasClients: () => true,
        isOnline: (userId: string) => online && userId === 'user',
        send: (_: string, message: object) => sent.push(message),
      },
      creditsOf: async () => ({ ...credits }),
      teamsOf: async ([ownerId]: string[]) =>
        ownerId === 'owner' ? [{ id: 'team', ownerId, members: ['user', 'away'] }] : [],
      isInTeam: async () => isMember,
      onError: (error: unknown) => void errors.push(error),
    } as never,
    () => Promise.resolve(paused),
  )
})
afterEach(() => expect(errors.splice(0)).toEqual([]))

it('sends one message for each change of what a user sees', async () => {
  const row: Row = { id: 'task', user_id: 'user', status: 'Preparing' }
  rows.set('task', row).set('other', { ...row, id: 'other', user_id: 'somebody' })
  const task = (status: string) => ({ type: 'task_update', task: { ...row, status } })
  for (const status of ['Preparing', 'Preparing', 'Processing', 'Preparing']) {
    row.status = status
    change('videoTasks', 'task', 'other')
    await settled()
  }
  rows.delete('task')
  change('videoTasks', 'task')
  for (const remaining of [60, 60, 30]) {
    credits.remaining = remaining
    change('creditBalances', 'user')
    await settled()
  }
  expect(sent).toEqual([
    task('Preparing'),
    task('Processing'),
    task('Preparing'),
    { type: 'task_deleted', id: 'task' },
    { type: 'credits_update', remaining: 60, total: 60 },
    { type: 'credits_update', remaining: 30, total: 60 },
  ])
})

it('repeats a message to a user who was disconnected during other changes', async () => {
  for (const [isOnline, remaining] of [
    [true, 60],
    [false, 30],
    [true, 60],
  ] as const) {
    online = isOnline
    credits.remaining = remaining
    change('creditBalances', 'user')
    await settled()
  }
  const message = { type: 'credits_update', remaining: 60, total: 60 }
  expect(sent).toEqual([message, message])
})

it('reads no further changes of a task whose owner is not connected, and sends them to one who connects again', async () => {
  const row: Row = { id: 'task', user_id: 'user', status: 'Preparing' }
  rows.set('task', row).set('other', { ...row, id: 'other', user_id: 'somebody' })
  for (const [isOnline, status] of [
    [true, 'Preparing'],
    [false, 'Processing'],
    [true, 'Preparing'],
  ] as const) {
    online = isOnline
    row.status = status
    change('videoTasks', 'task', 'other')
    await settled()
  }
  expect(reads).toEqual([['task', 'other'], ['task']])
  const shown = { type: 'task_update', task: { ...row, status: 'Preparing' } }
  expect(sent).toEqual([shown, shown])
})

it('sends the balance of a team to its members who are connected, unless they were just removed', async () => {
  for (const [isIn, remaining] of [
    [true, 60],
    [true, 30],
    [false, 0],
  ] as const) {
    isMember = isIn
    credits.remaining = remaining
    change('creditBalances', 'owner')
    await settled()
  }
  expect(sent).toEqual([
    { type: 'team_credits_update', id: 'team', remaining: 60 },
    { type: 'team_credits_update', id: 'team', remaining: 30 },
  ])
})

it('reads changes that wait for an earlier one together', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  reading = promise
  change('videoTasks', 'a')
  await settled()
  for (const id of ['b', 'c', 'b']) change('videoTasks', id)
  resolve()
  await settled()
  await settled()
  expect(reads).toEqual([['a'], ['b', 'c']])
})

it('reads together what changes soon after other changes', async () => {
  const pause = Promise.withResolvers<void>()
  paused = pause.promise
  change('videoTasks', 'a')
  await settled()
  change('videoTasks', 'b')
  change('videoTasks', 'c', 'b')
  await settled()
  expect(reads).toEqual([['a']])
  pause.resolve()
  await settled()
  expect(reads).toEqual([['a'], ['b', 'c']])
})

it('reads changes once more after a fault, with those that came since', async () => {
  const fault = new Error('the database is away')
  const row: Row = { id: 'a', user_id: 'user', status: 'Success' }
  rows.set('a', row).set('b', { ...row, id: 'b', user_id: 'somebody' })
  faults.push(fault)
  const pause = Promise.withResolvers<void>()
  paused = pause.promise
  change('videoTasks', 'a')
  await settled()
  expect([sent, errors.splice(0)]).toEqual([[], [fault]])
  change('videoTasks', 'b')
  pause.resolve()
  await settled()
  await settled()
  expect(sent).toEqual([{ type: 'task_update', task: row }])
  expect(new Set(reads.flat())).toEqual(new Set(['a', 'b']))
})

it('reads changes no third time, and later ones as usual', async () => {
  const fault = new Error('the row cannot be read')
  faults.push(fault, fault)
  change('videoTasks', 'a')
  for (let n = 0; n < 4; n++) await settled()
  expect(reads).toEqual([['a'], ['a']])
  expect(errors.splice(0)).toEqual([fault, fault])
  change('videoTasks', 'b')
  await settled()
  expect(reads.at(-1)).toEqual(['b'])
})
