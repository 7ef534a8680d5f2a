import { Migration } from '@mikro-orm/migrations'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { migrate, openDatabase } from '../kernel/postgres/orm.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora } from '../testing/testKinora.ts'
import { ENTITIES, MIGRATIONS, migrateSchema } from './schema.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db?.close())

const NAMES = MIGRATIONS.map(({ name }) => name)

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

  it('refuses a database of a version before 0.1.0, says what to do, and changes nothing', async () => {
    await list(['M0100Baseline', 'M0101ParkedEvents'])
    await expect(migrateSchema(db.database, db.pool)).rejects.toThrow(/before 0\.1\.0 \(M0100Baseline\).* new DATA_DIR/)
    expect(await applied()).toEqual(['M0100Baseline', 'M0101ParkedEvents'])
  })

  it('ends the start of a server on such a database', async () => {
    await list(['M0100Baseline'])
    await expect(startTestKinora({ env: { DATABASE_URL: db.url } })).rejects.toThrow('before 0.1.0')
  })

  it('leaves a database that a newer version has migrated to this one, which runs beside it', async () => {
    await list([...NAMES, 'M9999Newer'])
    await migrateSchema(db.database, db.pool)
    expect(await applied()).toEqual([...NAMES, 'M9999Newer'])
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
    const migrated = migrate(later, db.pool, onBlocked)
    const waiting = () =>
      db.pool.query("select from pg_locks where relation = 'recovery_code'::regclass and not granted")
    await eventually(async () => expect((await waiting()).rowCount).toBe(1))
    await db.pool.query('select from recovery_code')
    await eventually(() => expect(onBlocked).toHaveBeenCalled())
    await reader.query('commit')
    await migrated
    await db.pool.query('select later from recovery_code')
    await later.close()
  })
})
