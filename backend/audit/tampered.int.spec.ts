import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import type { Deviation } from './deviation.ts'
import { projectLedger } from './testing/projectLedger.ts'
import { LEDGER, seedLedger } from './testing/seedLedger.ts'
import { TAMPERINGS } from './testing/tampering.ts'
import type { Verification } from './verify.ts'

const TABLES = ['event', 'credit_balance', 'credit_entry', 'invoice', 'chain_head', 'projection_checkpoint']

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
  await seedLedger(db.store)
  await projectLedger(db.store, db.database)
  for (const table of TABLES) await db.pool.query(`create table untouched_${table} as select * from ${table}`)
})
afterAll(() => db.close())
beforeEach(async () => {
  for (const table of TABLES)
    await db.pool.query(`delete from ${table}; insert into ${table} select * from untouched_${table}`)
})

async function audit(): Promise<{ code: number; found: Verification }> {
  let printed = ''
  const code = await runAudit(['verify', '--json'], {
    env: { DATABASE_URL: db.url },
    print: (text) => (printed += text),
    printError: (text) => (printed += text),
  })
  return { code, found: JSON.parse(printed) }
}

describe('audit verify of an untouched ledger', () => {
  it('finds no deviation, and the books sum to zero', async () => {
    const { code, found } = await audit()
    expect(found.deviations).toEqual([])
    expect(code).toBe(0)
    expect(found).toMatchObject({ ok: true, events: 16, accounts: 2, streams: 3, salesWaiting: [] })
    expect(found.totals).toEqual({
      issued: -230,
      spent: 60,
      forfeited: 0,
      'claimed back': 40,
      withdrawn: 0,
      owed: 0,
      left: 100,
      held: 30,
    })
    expect(found.openHolds).toMatchObject([{ taskId: LEDGER.open, credits: 30, revision: 8 }])
    expect(found.readModels.map(({ table, rows, upTo }) => [table, rows, upTo !== null])).toEqual([
      ['credit_balance', 2, true],
      ['credit_entry', 10, true],
      ['invoice', 1, true],
    ])
  })
})

describe('audit verify of a ledger that was tampered with', () => {
  it.each(TAMPERINGS)('reports $what, and names the event', async ({ does, names }) => {
    await does(db.pool)
    const { code, found } = await audit()
    expect(code).toBe(1)
    expect(found.ok).toBe(false)
    for (const { check, stream, revision, wrong } of names) {
      const isNamed = (one: Deviation) =>
        one.check === check &&
        (stream === undefined || one.stream === stream) &&
        (revision === undefined || one.revision === revision) &&
        wrong.test(one.wrong)
      expect(found.deviations.filter(isNamed), JSON.stringify(found.deviations, null, 1)).not.toEqual([])
    }
  })
})
