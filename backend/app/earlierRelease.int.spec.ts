import type pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { PROJECTIONS } from '#projections/all.ts'
import { verify } from '../audit/verify.ts'
import { installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { migrate, openDatabase } from '../kernel/postgres/orm.ts'
import { startTemporaryPostgres } from '../kernel/postgres/testing/temporaryPostgres.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import type { Team } from '../teams/contract.ts'
import { eventually } from '../testing/eventually.ts'
import { freePort } from '../testing/freePort.ts'
import { buyPlan, read, readStats } from '../testing/plans.ts'
import { startTemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import { ENTITIES, MIGRATIONS } from './schema.ts'

const FIRST_OF_TEAMS = 'M0015Teams'
const NAMES = MIGRATIONS.map(({ name }) => name)

/** Starts a database with the tables of the release before teams. */
async function startFormerDatabase() {
  const postgres = await startTemporaryPostgres()
  onTestFinished(() => postgres.close())
  const { socketDir: host, port, user, database: name } = postgres.server
  const former = MIGRATIONS.slice(0, NAMES.indexOf(FIRST_OF_TEAMS))
  const database = await openDatabase({ host, port, user, database: name }, ENTITIES, former)
  await migrate(database, postgres.pool)
  await database.close()
  await installEventTable(postgres.pool)
  return { pool: postgres.pool, url: `postgresql://${user}@localhost/${name}?host=${encodeURIComponent(host)}` }
}

/** Copies what the tables of an earlier release can hold of the rows of this one. */
async function copyRows(from: pg.Pool, to: pg.Pool): Promise<void> {
  const tables = (pool: pg.Pool) =>
    pool
      .query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`)
      .then(({ rows }) => rows.map(({ name }) => name))
  const [known, wanted] = [new Set(await tables(from)), await tables(to)]
  const client = await to.connect()
  await client.query(`set session_replication_role = replica`)
  for (const table of wanted.filter((name) => known.has(name) && name !== 'migration')) {
    const [{ rows } = { rows: null }] = (await from.query(`select json_agg(t) as rows from "${table}" t`)).rows
    if (!rows) continue
    await client.query(`delete from "${table}"`)
    await client.query(
      `insert into "${table}" overriding system value select * from json_populate_recordset(null::"${table}", $1)`,
      [JSON.stringify(rows)],
    )
  }
  const later = PROJECTIONS.filter(({ table }) => !wanted.includes(table.meta.tableName)).map(({ name }) => name)
  await client.query('delete from projection_checkpoint where name = any($1)', [later])
  client.release(true)
}

it('starts with the data of the release before teams: films, orders, the ledger and a first team', async () => {
  const current = await startTemporaryDatabase()
  onTestFinished(() => current.close())
  const provider = await createProviderDouble()
  provider.answer = () => ({ kind: 'finished' })
  const env = { PORT: String(await freePort()), SESSION_SECRET: 's'.repeat(32) }
  const start = (url: string) => startTestKinora({ provider, env: { ...env, DATABASE_URL: url } })
  const order = async (user: TestUser, more: object = {}) => {
    const answer = await user.call('POST', '/videos/generate', { ...GENERATION, ...more })
    const { task } = (await answer.json()) as { task: { id: string } }
    await eventually(async () =>
      expect(await read(user, `/videos/tasks/${task.id}`)).toMatchObject({ status: 'Success' }),
    )
    return task.id
  }

  const first = await start(current.url)
  const [owner, member] = [await first.newUser(), await first.newUser()]
  await buyPlan(first, owner, 'ultimate')
  const film = await order(owner)
  const balance = (await readStats(owner)).remaining_credits
  await first.close()
  const former = await startFormerDatabase()
  await copyRows(current.pool, former.pool)
  expect((await former.pool.query('select id from video_task')).rows).toEqual([{ id: film }])

  const second = await start(former.url)
  onTestFinished(() => second.close())
  expect((await former.pool.query('select name from migration order by name')).rows.map(({ name }) => name)).toEqual(
    NAMES,
  )
  expect(await read(owner, `/videos/tasks/${film}`)).toMatchObject({
    ...{ status: 'Success', prompt: GENERATION.prompt, team_id: null },
  })
  expect((await readStats(owner)).remaining_credits).toBe(balance)
  await order(owner)
  const { team } = (await (await owner.call('POST', '/teams', { name: 'Studio' })).json()) as { team: Team }
  await owner.call('POST', `/teams/${team.id}/invitations`, { email: member.email, credits_per_month: 30 })
  const [mail] = await second.mails(member.email)
  const token = /#token=([\w-]+)/.exec(mail!.text)![1]
  expect((await member.call('POST', '/teams/invitations/accept', { token })).status).toBe(200)
  await order(member, { team_id: team.id })
  expect((await readStats(owner)).remaining_credits).toBe(balance - 60)
  const { deviations, ok } = await verify(second.context.store)
  expect([deviations, ok]).toEqual([[], true])
})
