import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { PROJECTIONS } from '#projections/all.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { Leases } from '../../kernel/postgres/leases.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import type { Context } from '../context.ts'
import { startProjections } from '../projections.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

const stops: (() => Promise<void>)[] = []
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))
beforeEach(async () => {
  await db.pool.query('truncate event, projection_checkpoint, credit_balance, credit_entry')
  granted = 0
})

/** Starts the role of a process, with the read models of its release. */
function startProcess(projections: readonly AnyProjection[] = PROJECTIONS) {
  const log = { info: vi.fn(), error: vi.fn() }
  const leases = new Leases(db.connection, () => {})
  const observability = { lag: undefined }
  const context = { store: db.store, database: db.database, log, leases, observability } as unknown as Context
  const { started, stop } = startProjections(context, projections)
  const stopOnce = async () => {
    await stop()
    await leases.close()
  }
  stops.push(stopOnce)
  return { log, leases, started, stop: stopOnce }
}

const userId = uuid7()
let granted: number
/** Grants one credit more, and waits until a row shows it. */
async function grant(): Promise<void> {
  const lotId = `lot${++granted}`
  const at = '2026-01-01T00:00:00.000Z'
  const data = { userId, lotId, source: 'free', amount: granted, expiresAt: null, at }
  await db.store.append(`creditAccount-${userId}`, 'any', [{ id: uuid7(), type: 'CreditLotGranted', data }])
  const shown = async () => JSON.stringify((await db.pool.query('select lots from credit_balance')).rows)
  await expect.poll(shown).toContain(lotId)
}
const versions = async () =>
  Object.fromEntries(
    (
      await db.pool.query<{ name: string; version: number }>('select name, version from projection_checkpoint')
    ).rows.map(({ name, version }) => [name, version]),
  )

it('are kept up to date by one process of a release, and by the next one when it stops', async () => {
  const [first, second] = [startProcess(), startProcess()]
  await Promise.all([first.started, second.started])
  await grant()
  const [holder, standby] = first.leases.held().length > 0 ? [first, second] : [second, first]
  const held = [expect.stringMatching(/^projections [0-9a-f]{8}$/)]
  expect([holder.leases.held(), standby.leases.held()]).toEqual([held, []])
  await holder.stop()
  await grant()
  expect(standby.leases.held()).toHaveLength(1)
})

it('are shared by two releases: each version has its rows, and the shared ones no error and no gap', async () => {
  const next = PROJECTIONS.map((each) =>
    each.name === 'creditEntries' ? { ...each, version: each.version + 1 } : each,
  )
  const old = startProcess()
  await old.started
  await grant()
  const raised = startProcess(next)
  await raised.started
  const expected = Object.fromEntries(next.map(({ name, version }) => [name, version]))
  await expect.poll(versions).toEqual(expected)
  for (let time = 0; time < 20; time++) await grant()
  await old.stop()
  await grant()
  const { rows } = await db.pool.query<{ entries: number }>('select count(*)::int as entries from credit_entry')
  expect(rows).toEqual([{ entries: granted }])
  for (const { log } of [old, raised]) expect(log.error).not.toHaveBeenCalled()
})
