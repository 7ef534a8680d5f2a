import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventStore, SubscribeOptions } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { creditBalances } from '../credits/creditBalance.ts'
import { videoTasks } from '../tasks/videoTask.ts'
import { engineRuns, inBatchesOf as limitBatches } from '../testing/engineRuns.ts'
import { asPostgres, rowsOf } from '../testing/rowsOf.ts'
import { tasksAtStages } from '../testing/taskEvents.ts'
import type { AnyProjection } from './projection.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  await db.pool.query('truncate event, projection_checkpoint, parked_event, video_task, credit_balance')
})
afterEach(() => stopAll())

const { run, stopAll } = engineRuns(() => db)
const inBatchesOf = (maxBatch: number, from?: (string | undefined)[]) => limitBatches(db.store, maxBatch, from)

const user = uuid7()
const at = '2026-01-01T00:00:00.000Z'
const grant = (n: number) => ({
  type: 'CreditLotGranted',
  data: { userId: user, lotId: `lot${n}`, source: 'free', amount: n + 1, expiresAt: null, at },
})
const append = async (stream: string, events: readonly { type: string; data: object }[]) => {
  for (const event of events) await db.store.append(stream, 'any', [{ id: uuid7(), ...event }])
}
const appendTasks = (tasks: ReturnType<typeof tasksAtStages>) =>
  Promise.all(tasks.map((events) => append(`videoTask-${events[0]!.data.taskId}`, events)))

const stored = async (table: string) =>
  (await db.pool.query<{ row: { lots?: object[] } }>(`select to_jsonb(t) as row from ${table} t order by id`)).rows.map(
    ({ row }) => row,
  )
const hashOf = async (table: string) =>
  (await db.pool.query<{ md5: string }>(`select md5(string_agg(t::text, E'\n' order by id)) from ${table} t`)).rows[0]!
    .md5
const head = async () => (await db.pool.query<{ max: string }>('select max(position) from event')).rows[0]!.max
const checkpoints = async () =>
  (
    await db.pool.query(
      'select name, version, position::bigint from projection_checkpoint order by name collate "C" desc',
    )
  ).rows
const NOW = { videoTasks: videoTasks.version, creditBalances: creditBalances.version }
const caughtUp = (name: keyof typeof NOW, version = NOW[name]) =>
  eventually(async () => expect(await checkpoints()).toContainEqual({ name, version, position: await head() }))

describe('a running projection', () => {
  it('writes the rows of all its events', async () => {
    const tasks = tasksAtStages(user, 30)
    await appendTasks(tasks)
    const { onLive } = run(videoTasks)
    await caughtUp('videoTasks')
    await expect.poll(() => onLive).toHaveBeenCalled()
    expect(await stored('video_task')).toEqual(asPostgres(rowsOf(videoTasks, ...tasks.flat())))
  })

  it('resumes at its checkpoint', async () => {
    await append(`creditAccount-${user}`, [grant(0), grant(1)])
    const first = run(creditBalances)
    await caughtUp('creditBalances')
    await first.stop()
    await append(`creditAccount-${user}`, [grant(2)])
    run(creditBalances)
    await caughtUp('creditBalances')
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, grant(0), grant(1), grant(2)))
  })

  it('shares a read model with another process without applying an event twice', async () => {
    const events = Array.from({ length: 200 }, (_, n) => grant(n))
    const projectors = [run(creditBalances, inBatchesOf(3)), run(creditBalances, inBatchesOf(3))]
    await append(`creditAccount-${user}`, events)
    await caughtUp('creditBalances')
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, ...events))
    for (const { log } of projectors) expect(log.error).not.toHaveBeenCalled()
  })

  it('parks an event of a type that no context declares', async () => {
    const stream = `creditAccount-${user}`
    await append(stream, [grant(0), { type: 'CreditsDonated', data: { userId: user } }, grant(1)] as never)
    run(creditBalances)
    await caughtUp('creditBalances')
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, grant(0)))
    const { rows } = await db.pool.query('select type, row_key, error from parked_event order by position')
    expect(rows).toEqual([
      { type: 'CreditsDonated', row_key: stream, error: expect.stringContaining('unknown event type CreditsDonated') },
      { type: 'CreditLotGranted', row_key: stream, error: null },
    ])
  })
})

describe('a projection with a raised version', () => {
  const next = videoTasks.version + 1
  const raised: AnyProjection = { ...videoTasks, version: next }

  it('is rebuilt during reads and writes to the same rows, and the table is never empty', async () => {
    const tasks = tasksAtStages(user, 80)
    await appendTasks(tasks)
    const old = run(videoTasks)
    await caughtUp('videoTasks')
    const before = await hashOf('video_task')
    let reading = true
    const counts: number[] = []
    const reader = (async () => {
      while (reading)
        counts.push((await db.pool.query<{ count: number }>('select count(*)::int from video_task')).rows[0]!.count)
    })()
    run(raised, inBatchesOf(20))
    await caughtUp('videoTasks', next)
    const read = counts.length
    await expect.poll(() => counts.length).toBeGreaterThan(read + 3)
    reading = false
    await reader
    expect(await hashOf('video_task')).toBe(before)
    expect([...new Set(counts)]).toEqual([rowsOf(videoTasks, ...tasks.flat()).length])
    expect(old.log.error.mock.calls).toEqual([])
    expect(await checkpoints()).toEqual([{ name: 'videoTasks', version: next, position: await head() }])
  })

  it('never shows readers an older state while the old version advances', async () => {
    const rebuilt: AnyProjection = { ...creditBalances, version: creditBalances.version + 1 }
    await append(`creditAccount-${user}`, [grant(0)])
    run(creditBalances)
    await caughtUp('creditBalances')
    let busy = true
    const read: number[] = []
    const reader = (async () => {
      while (busy) read.push((await stored('credit_balance'))[0]!.lots!.length)
    })()
    /** Lets the old version advance when the rebuild has read the log and is about to replace it. */
    const advanceOnce = vi.fn(async () => {
      for (let n = 1; n < 20; n++) {
        await append(`creditAccount-${user}`, [grant(n)])
        await eventually(() => expect(read.at(-1)).toBe(n + 1))
      }
    })
    run(rebuilt, {
      async *subscribeAll<E extends Event>(options: SubscribeOptions) {
        for await (const batch of db.store.subscribeAll<E>(options)) {
          if (batch.live && advanceOnce.mock.calls.length === 0) await advanceOnce()
          yield batch
        }
      },
    })
    await caughtUp('creditBalances', rebuilt.version)
    busy = false
    await reader
    expect(read).toEqual(read.toSorted((a, b) => a - b))
    expect(new Set(read).size).toBeGreaterThan(10)
  })

  it('is no longer written by a process of the previous version', async () => {
    const louder: AnyProjection = {
      ...raised,
      on: {
        ...videoTasks.on,
        VideoTaskSubmitted: (row, event, stored) => ({
          ...videoTasks.on.VideoTaskSubmitted(row, event, stored)!,
          model: 'new',
        }),
      },
    }
    const early = tasksAtStages(user, 40)
    await appendTasks(early)
    run(videoTasks)
    await caughtUp('videoTasks')
    const writing = tasksAtStages(user, 60)
    const appended = (async () => {
      for (const task of writing) await appendTasks([task])
    })()
    run(louder, inBatchesOf(20))
    await appended
    await caughtUp('videoTasks', next)
    const late = tasksAtStages(user, 40)
    for (const task of late) await appendTasks([task])
    await caughtUp('videoTasks', next)
    expect(await stored('video_task')).toEqual(
      asPostgres(rowsOf(louder, ...early.flat(), ...writing.flat(), ...late.flat())),
    )
  })

  it('resumes an interrupted rebuild, and keeps the old rows until then', async () => {
    const tasks = tasksAtStages(user, 60)
    await appendTasks(tasks)
    const old = run(videoTasks)
    await caughtUp('videoTasks')
    await old.stop()
    const before = await hashOf('video_task')
    let folds = 0
    const halting: AnyProjection = {
      ...raised,
      row: (event) => {
        if (++folds > 150) interrupted.stop()
        return videoTasks.row(event)
      },
    }
    const interrupted = run(halting, inBatchesOf(20))
    await eventually(() => expect(folds).toBeGreaterThan(150))
    await interrupted.stop()
    const [beside, live] = await checkpoints()
    expect([beside.name, live.name, live.version]).toEqual([`video_task__v${next}`, 'videoTasks', videoTasks.version])
    expect(Number(beside.position)).toBeGreaterThan(0)
    expect(Number(beside.position)).toBeLessThan(Number(await head()))
    expect(await hashOf('video_task')).toBe(before)
    const from: (string | undefined)[] = []
    run(raised, inBatchesOf(20, from))
    await caughtUp('videoTasks', next)
    expect(Number(from[0])).toBe(Number(beside.position))
    expect(await hashOf('video_task')).toBe(before)
    expect((await db.pool.query(`select 1 from pg_tables where tablename like '%\\_\\_v%'`)).rows).toEqual([])
  })

  it('can be raised repeatedly and keeps its indexes', async () => {
    await appendTasks(tasksAtStages(user, 7))
    const indexes = async () =>
      (await db.pool.query<{ indexdef: string }>(`select indexdef from pg_indexes where tablename = 'video_task'`)).rows
        .map(({ indexdef }) => indexdef.replace(/INDEX \S+ ON/, 'INDEX ON'))
        .toSorted()
    const before = await indexes()
    for (const version of [0, 1, 2, 3].map((n) => videoTasks.version + n)) {
      const each = run({ ...videoTasks, version })
      await caughtUp('videoTasks', version)
      await each.stop()
    }
    expect(await indexes()).toEqual(before)
  })
})

describe('a rebuild that an operator requests', () => {
  const request = (position = 'position') =>
    db.pool.query(`update projection_checkpoint set version = 0, position = ${position} where name = 'creditBalances'`)
  const grants = (count: number, first = 0) => Array.from({ length: count }, (_, n) => grant(first + n))

  /** Returns the event store, whose subscriptions from the start of the log wait until `open` is called. */
  function heldFromStart() {
    const { promise, resolve } = Promise.withResolvers<void>()
    const store: Pick<EventStore, 'subscribeAll'> = {
      async *subscribeAll<E extends Event>(options: SubscribeOptions) {
        if (options.from === undefined) await promise
        yield* db.store.subscribeAll<E>(options)
      },
    }
    return { store, open: resolve }
  }

  it('keeps the old rows up to date until the new ones replace them', async () => {
    await append(`creditAccount-${user}`, grants(20))
    const before = run(creditBalances)
    await caughtUp('creditBalances')
    await before.stop()
    await request()
    const { store, open } = heldFromStart()
    run(creditBalances, store)
    await append(`creditAccount-${user}`, grants(5, 20))
    await caughtUp('creditBalances', 0)
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, ...grants(25)))
    open()
    await caughtUp('creditBalances')
    await append(`creditAccount-${user}`, grants(5, 25))
    await caughtUp('creditBalances')
    expect(await checkpoints()).toHaveLength(1)
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, ...grants(30)))
  })

  it('starts while the projection runs', async () => {
    await append(`creditAccount-${user}`, grants(20))
    const { log } = run(creditBalances)
    await caughtUp('creditBalances')
    await request()
    await append(`creditAccount-${user}`, grants(5, 20))
    await caughtUp('creditBalances')
    expect(log.info).toHaveBeenCalledTimes(1)
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, ...grants(25)))
  })

  it('leaves rows without a checkpoint position as they are', async () => {
    await append(`creditAccount-${user}`, grants(20))
    const before = run(creditBalances)
    await caughtUp('creditBalances')
    await before.stop()
    await request('null')
    const { store, open } = heldFromStart()
    const { log } = run(creditBalances, store)
    await append(`creditAccount-${user}`, grants(5, 20))
    await expect.poll(() => log.info).toHaveBeenCalled()
    for (let n = 0; n < 20; n++) await db.pool.query('select')
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, ...grants(20)))
    open()
    await caughtUp('creditBalances')
    expect(await stored('credit_balance')).toEqual(rowsOf(creditBalances, ...grants(25)))
  })
})
