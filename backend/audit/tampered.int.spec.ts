import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import { sampled } from '../testing/sampled.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import type { Deviation } from './deviation.ts'
import { OPERATORS_FILE, operatorSigner, registerOperator } from './operatorKeys.ts'
import { signingKey } from './signingKey.ts'
import { AUDITED_TABLES, projectLedger } from './testing/projectLedger.ts'
import { seedBook } from './testing/seedBook.ts'
import { LEDGER, seedLedger } from './testing/seedLedger.ts'
import { BOOKS } from './testing/tampering/forgedBooks.ts'
import { CREDITS } from './testing/tampering/forgedCredits.ts'
import { DESK } from './testing/tampering/forgedDesk.ts'
import { OPERATORS } from './testing/tampering/forgedOperators.ts'
import { formTeam, TEAMS } from './testing/tampering/forgedTeams.ts'
import { DELIVERIES } from './testing/tampering/tamperedDeliveries.ts'
import { EVENTS } from './testing/tampering/tamperedEvents.ts'
import { READ_MODELS } from './testing/tampering/tamperedReadModels.ts'
import { seedZeros, ZEROS } from './testing/tampering/tamperedZeros.ts'
import type { Verification } from './verify.ts'

const TABLES = ['event', 'daily_zero', ...AUDITED_TABLES]

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-tampered-'))
let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
  registerOperator(folder, 'ada')
  await seedLedger(db.store, operatorSigner(folder, 'ada'))
  await seedBook(db.store)
  await seedZeros(db.pool, signingKey(undefined, folder))
  await projectLedger(db.store, db.database)
  for (const table of TABLES) await db.pool.query(`create table untouched_${table} as select * from ${table}`)
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  for (const table of TABLES)
    await db.pool.query(`delete from ${table}; insert into ${table} select * from untouched_${table}`)
})

async function audit(): Promise<{ code: number; found: Verification }> {
  let printed = ''
  const code = await runAudit(['verify', '--json'], {
    env: { DATABASE_URL: db.url, DATA_DIR: folder },
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
    expect(found).toMatchObject({ ok: true, events: 26, accounts: 2, streams: 8, salesWaiting: [], zeros: 3 })
    expect(found.adjustments).toMatchObject({ verified: 1, unverified: 0, unsigned: 0 })
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
      ['open_hold', 1, true],
      ['credit_flow', 8, true],
      ['current_subscription', 1, true],
      ['invoice', 1, true],
      ['credit_code', 0, true],
      ['open_redemption', 0, true],
      ['desk_action', 0, true],
      ['invoice_document', 2, true],
      ['video_task', 3, true],
      ['task_outcome', 3, true],
      ['late_render', 0, true],
      ['open_task', 2, true],
      ['team_roster', 0, true],
      ['open_team_change', 0, true],
      ['chain_head', 8, true],
    ])
  })
})

describe('audit verify without the public keys of the operators', () => {
  it('reports that signatures were not verified', async () => {
    const file = path.join(folder, OPERATORS_FILE)
    renameSync(file, `${file}.away`)
    const { code, found } = await audit()
    renameSync(`${file}.away`, file)
    expect([code, found.ok, found.deviations, found.adjustments.unverified]).toEqual([3, false, [], 1])
  })
})

describe('audit verify of a team', () => {
  it('finds nothing wrong with a member who spends within the limit', async () => {
    await formTeam(db.pool)
    const { found } = await audit()
    // The forged events are in no read model.
    expect(found.deviations.filter(({ check }) => check !== 'read model')).toEqual([])
    expect(found.totals).toMatchObject({ held: 60 })
  })
})

describe('audit verify of a ledger that was tampered with', () => {
  const all = [EVENTS, CREDITS, DESK, OPERATORS, BOOKS, DELIVERIES, TEAMS, READ_MODELS, ZEROS]
  it.each(all.flatMap((area) => sampled(area, area.length / 4)))(
    'reports $what, and names the event',
    async ({ does, names }) => {
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
    },
  )
})

describe('audit verify of a database that continues with an older log', () => {
  it('reports a verified account whose free credits are not in the log', async () => {
    const id = '00000000-0000-4000-8000-00000000dead'
    await db.pool.query(
      `with account as (insert into user_account (id, email, identity, full_name, language, password_hash, email_verified_at, created_at) values ('${id}', 'a@kinora.test', 'a@kinora.test', 'A', 'en', '', now(), now()))
       insert into free_grant values ('hash', '${id}')`,
    )
    try {
      const { code, found } = await audit()
      expect(code).toBe(1)
      expect(found.deviations).toMatchObject([
        { check: 'grant', stream: `creditAccount-${id}`, wrong: expect.stringContaining('the log is older') },
      ])
    } finally {
      await db.pool.query('delete from user_account; delete from free_grant')
    }
  })
})

describe('audit verify of a read model that is not up to date', () => {
  const incomplete = ({ readModels }: Verification) =>
    readModels.flatMap(({ table, incomplete }) => (incomplete === undefined ? [] : [`${table}: ${incomplete}`]))

  it('reports a rebuild as an incomplete comparison', async () => {
    await db.pool.query(`update projection_checkpoint set version = 0, position = null where name = 'invoices'`)
    const { code, found } = await audit()
    expect([code, found.ok, found.deviations]).toEqual([3, false, []])
    expect(incomplete(found)).toEqual(['invoice: its version is 0, this program has 3'])
  })

  it('reports a projection that has not run since the last event as behind', async () => {
    await db.pool.query(`update projection_checkpoint set position = null, last_event = null, live_at = null
      where name = 'invoices'; delete from invoice`)
    const { code, found } = await audit()
    expect([code, found.ok, found.deviations]).toEqual([3, false, []])
    expect(incomplete(found)).toEqual([expect.stringMatching(/^invoice: it is behind: it ends before revision 2 of/)])
  })
})
