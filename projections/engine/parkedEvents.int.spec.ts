import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { creditBalances } from '../credits/creditBalance.ts'
import { engineRuns, inBatchesOf } from '../testing/engineRuns.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import type { AnyProjection } from './projection.ts'
import { readSnapshot } from './readModel.ts'
import { replayParked } from './replayParked.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
const { run, stopAll } = engineRuns(() => db)
beforeEach(async () => {
  await db.pool.query(`truncate event, projection_checkpoint, parked_event, credit_balance;
    drop trigger if exists fails on credit_balance;
    alter table credit_balance drop constraint if exists no_poison`)
})
afterEach(() => stopAll())

const [ann, ben] = [uuid7(), uuid7()]
const at = '2026-01-01T00:00:00.000Z'
const grant = (userId: string, n: number) => ({
  type: 'CreditLotGranted',
  data: { userId, lotId: `lot${n}`, source: 'free', amount: n, expiresAt: null, at },
})
const POISON = 13

async function append(...events: readonly ReturnType<typeof grant>[]) {
  for (const event of events)
    await db.store.append(`creditAccount-${event.data.userId}`, 'any', [{ id: uuid7(), ...event }])
}
const head = () => db.store.head()
const reachesHead = (name = 'creditBalances') =>
  eventually(async () => {
    const { rows } = await db.pool.query('select position from projection_checkpoint where name = $1', [name])
    expect(rows[0]?.position).toBe(await head())
  })
const balances = async () =>
  (await db.pool.query<{ row: object }>('select to_jsonb(t) as row from credit_balance t order by id')).rows.map(
    ({ row }) => row,
  )
const expected = (...events: readonly ReturnType<typeof grant>[]) =>
  (rowsOf(creditBalances, ...events) as { id: string }[]).toSorted((a, b) => (a.id < b.id ? -1 : 1))
const parked = async () =>
  (
    await db.pool.query(
      `select projection, row_key, e.data->>'lotId' as lot, p.error from parked_event p join event e on e.id::text = event_id
       order by p.position`,
    )
  ).rows.map(({ projection, row_key, lot, error }) => [projection, row_key, lot, error])

let isBroken = true
/** Fails at the poisoned event while `isBroken`. */
const throwing: AnyProjection = {
  ...creditBalances,
  on: {
    ...creditBalances.on,
    CreditLotGranted: (row, event, stored) => {
      if (isBroken && event.data.amount === POISON) throw new Error('poisoned')
      return creditBalances.on.CreditLotGranted(row, event, stored)
    },
  },
}
beforeEach(() => {
  isBroken = true
})

const reject = (sqlstate: string) => fail(`raise exception 'refused' using errcode = '${sqlstate}'`)
/** Runs a statement instead of each write that contains the poisoned event. */
const fail = (statement: string) =>
  db.pool.query(`create or replace function fail() returns trigger language plpgsql as
      $$ begin ${statement}; return new; end $$;
    create trigger fails before insert or update on credit_balance for each row
      when (new.lots @? '$[*] ? (@.granted == ${POISON})') execute function fail()`)

const before = [grant(ann, 1), grant(ben, 2)]
const poison = grant(ann, POISON)
const after = [grant(ben, 3), grant(ann, 4), grant(ben, 5)]
const annsEvents = [...before, poison, ...after].filter(({ data }) => data.userId === ann)
const bensEvents = [...before, ...after].filter(({ data }) => data.userId === ben)

describe('an event that cannot be projected', () => {
  it.each([1, 500])('is parked when its handler throws, with batches of %d events', async (batch) => {
    await append(...before, poison, ...after)
    const { log } = run(throwing, inBatchesOf(db.store, batch))
    await reachesHead()
    expect(await balances()).toEqual(expected(before[0]!, ...bensEvents))
    expect(await parked()).toEqual([
      ['creditBalances', ann, 'lot13', 'Error: poisoned'],
      ['creditBalances', ann, 'lot4', null],
    ])
    expect(log.error.mock.calls).toEqual([
      [expect.objectContaining({ projection: 'creditBalances', type: 'CreditLotGranted' }), expect.any(String)],
    ])
  })

  it.each(['22003', '22P02', '23502', '23514'])('is parked when Postgres rejects its row with %s', async (sqlstate) => {
    await reject(sqlstate)
    await append(...before, poison, ...after)
    run(creditBalances)
    await reachesHead()
    expect(await balances()).toEqual(expected(before[0]!, ...bensEvents))
    expect((await parked()).map(([, , lot, error]) => [lot, error])).toEqual([
      ['lot13', expect.stringMatching(/^\w+: refused$/)],
      ['lot4', null],
    ])
  })

  it('keeps the open work from being resumed after it', async () => {
    await append(...before)
    const complete = await head()
    await append(poison, ...after)
    run(throwing, inBatchesOf(db.store, 1))
    await reachesHead()
    expect((await readSnapshot(db.database, throwing, 'id')).upTo).toBe(complete)
  })

  it('does not block a rebuild, and is parked by the new version only if it fails there', async () => {
    await append(...before, poison, ...after)
    run(throwing)
    await reachesHead()
    await stopAll()
    const next = { ...throwing, version: throwing.version + 1 }
    const first = run(next)
    await eventually(async () => expect(await versions()).toEqual([['creditBalances', next.version]]))
    await first.stop()
    expect((await parked()).map(([name, , lot]) => [name, lot])).toEqual([
      ['creditBalances', 'lot13'],
      ['creditBalances', 'lot4'],
    ])
    isBroken = false
    run({ ...next, version: next.version + 1 })
    await eventually(async () => expect(await versions()).toEqual([['creditBalances', next.version + 1]]))
    expect(await parked()).toEqual([])
    expect(await balances()).toEqual(expected(...annsEvents, ...bensEvents))
  })
})

const versions = async () =>
  (await db.pool.query('select name, version from projection_checkpoint')).rows.map(({ name, version }) => [
    name,
    version,
  ])

describe('an outage', () => {
  it.each([
    ['a lost connection', 'perform pg_terminate_backend(pg_backend_pid())'],
    ['a query timeout', `raise exception using errcode = '57014'`],
    ['a full disk', `raise exception using errcode = '53100'`],
    ['a lock timeout', `raise exception using errcode = '55P03'`],
    ['a deadlock', `raise exception using errcode = '40P01'`],
    ['a serialization failure', `raise exception using errcode = '40001'`],
  ])('parks nothing: %s', async (_, statement) => {
    await fail(statement)
    await append(...before, poison, ...after)
    const { log } = run(creditBalances, inBatchesOf(db.store, 1))
    await eventually(() => expect(log.error.mock.calls.length).toBeGreaterThan(2))
    await db.pool.query('drop trigger fails on credit_balance')
    await reachesHead()
    expect(await parked()).toEqual([])
    expect(await balances()).toEqual(expected(...annsEvents, ...bensEvents))
  })
})

describe('a replay of parked events', () => {
  const replay = () => replayParked([throwing], db)

  it('folds the events of each row in order, and leaves none parked', async () => {
    await append(...before, poison, ...after)
    run(throwing)
    await reachesHead()
    isBroken = false
    expect(await replay()).toEqual({ replayed: 2, failed: 0 })
    expect(await parked()).toEqual([])
    expect(await balances()).toEqual(expected(...annsEvents, ...bensEvents))
    await append(grant(ann, 7))
    await reachesHead()
    expect(await balances()).toEqual(expected(...annsEvents, grant(ann, 7), ...bensEvents))
  })

  it('keeps events that fail again, with the new error', async () => {
    await append(...before, poison, ...after)
    run(throwing)
    await reachesHead()
    isBroken = false
    await db.pool.query(
      `alter table credit_balance add constraint no_poison check (not lots @? '$[*] ? (@.granted == ${POISON})')`,
    )
    expect(await replay()).toEqual({ replayed: 0, failed: 2 })
    expect((await parked()).map(([, , lot, error]) => [lot, error])).toEqual([
      ['lot13', expect.stringContaining('no_poison')],
      ['lot4', null],
    ])
    expect(await balances()).toEqual(expected(before[0]!, ...bensEvents))
  })

  it('loses nothing while events are appended, and while another replay runs', async () => {
    await append(...before, poison)
    run(throwing, inBatchesOf(db.store, 2))
    await reachesHead()
    isBroken = false
    const events = Array.from({ length: 150 }, (_, n) => grant(ann, n + 100))
    const appended = append(...events)
    for (let n = 0; n < 5; n++) await Promise.allSettled([replay(), replay()])
    await appended
    await reachesHead()
    await replay()
    expect(await parked()).toEqual([])
    expect(await balances()).toEqual(expected(...before, poison, ...events))
  })
})
