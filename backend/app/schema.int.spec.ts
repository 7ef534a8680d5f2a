import { Migration } from '@mikro-orm/migrations'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { migrate, openDatabase } from '../kernel/postgres/orm.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { REPLACED_BY_BASELINE } from './migrations/baseline/M0100Baseline.ts'
import { currentMigrations, ENTITIES, MIGRATIONS, migrateSchema } from './schema.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db?.close())

const NAMES = MIGRATIONS.map(({ name }) => name)
const LATER = NAMES.slice(1)

const applied = async () =>
  (await db.pool.query('select name from migration order by name')).rows.map(({ name }) => name)
const list = async (names: readonly string[]) => {
  await db.pool.query('truncate migration')
  await db.pool.query('insert into migration (name, executed_at) select unnest($1::text[]), now()', [names])
}

describe('the baseline migration', () => {
  it('creates the schema of an empty database', async () => {
    expect(await applied()).toEqual(NAMES)
  })

  it('counts as applied on a database that has all the migrations it replaces', async () => {
    await list([...REPLACED_BY_BASELINE, ...LATER])
    await migrateSchema(db.database, db.pool)
    expect(await applied()).toEqual([...REPLACED_BY_BASELINE, ...NAMES].toSorted())
    await migrateSchema(db.database, db.pool)
    expect(await applied()).toHaveLength(REPLACED_BY_BASELINE.length + NAMES.length)
  })

  it('counts once on a database that was migrated before and after it', () => {
    expect(currentMigrations([...REPLACED_BY_BASELINE, 'M0100Baseline'])).toEqual(['M0100Baseline'])
  })

  it('refuses a database that lacks some of the migrations it replaces, and changes nothing', async () => {
    await list(REPLACED_BY_BASELINE.slice(0, -1))
    await expect(migrateSchema(db.database, db.pool)).rejects.toThrow('without M0051UncountedViews')
    expect(await applied()).toEqual(REPLACED_BY_BASELINE.slice(0, -1))
  })
})

describe('a migration of a table that another transaction reads', () => {
  class Later extends Migration {
    override up(): void {
      this.addSql('alter table recovery_code add column later int')
    }
  }

  it('lets other statements on the table run, and is applied when the transaction ends', async () => {
    await list(NAMES)
    const reader = await db.pool.connect()
    onTestFinished(() => reader.release(true))
    await reader.query('begin; select from recovery_code')
    const later = await openDatabase(db.connection, ENTITIES, [...MIGRATIONS, { name: 'Later', class: Later }])
    const onBlocked = vi.fn()
    const migrated = migrate(later, db.pool, currentMigrations, onBlocked)
    const waiting = () =>
      db.pool.query("select from pg_locks where relation = 'recovery_code'::regclass and not granted")
    await vi.waitFor(async () => expect((await waiting()).rowCount).toBe(1), 10_000)
    await db.pool.query('select from recovery_code')
    await vi.waitFor(() => expect(onBlocked).toHaveBeenCalled())
    await reader.query('commit')
    await migrated
    await db.pool.query('select later from recovery_code')
    await later.close()
  })
})
