import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const lacks = spawnSync('psql', ['--version']).status === 0 ? '' : ' (skipped: psql is not on PATH)'

let kinora: TestKinora
let db: TemporaryDatabase
beforeAll(async () => {
  ;[kinora, db] = await Promise.all([startTestKinora(), startTemporaryDatabase()])
})
afterAll(async () => {
  await kinora?.close()
  await db?.close()
})

/** `npm run psql`, as package.json has it. */
const PSQL = ['scripts/program.mjs', 'backend/programs', 'psql']
const psql = (env: NodeJS.ProcessEnv, args: string[] = [], input = '') =>
  spawnSync(process.execPath, [...PSQL, ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: '', ...env },
    input,
    encoding: 'utf8',
  })

describe(`npm run psql${lacks}`, () => {
  it.skipIf(lacks)('opens the embedded database while Kinora runs, and reads what is typed', async () => {
    const { email } = await kinora.newUser()
    const { status, stdout, stderr } = psql({ DATA_DIR: kinora.dataDir }, ['-At'], 'select email from user_account;')
    expect([status, stdout.trim(), stderr]).toEqual([0, email, ''])
  })

  it.skipIf(lacks)('opens the database of DATABASE_URL, and passes options and the exit code on', () => {
    expect(psql({ DATABASE_URL: db.url }, ['-Atc', 'select current_database()']).stdout.trim()).toBe(
      new URL(db.url).pathname.slice(1),
    )
    expect(psql({ DATABASE_URL: db.url }, ['-v', 'ON_ERROR_STOP=1', '-c', 'select nothing']).status).toBe(1)
  })

  it.skipIf(lacks)('cancels a query on Ctrl-C', async () => {
    const env = { ...process.env, DATABASE_URL: db.url }
    const shell = spawn(process.execPath, [...PSQL, '-c', 'select pg_sleep(15)'], { cwd: ROOT, env })
    let printed = ''
    shell.stderr.on('data', (text) => (printed += text))
    const running = `select from pg_stat_activity where query = 'select pg_sleep(15)'`
    await expect.poll(async () => (await db.pool.query(running)).rowCount).toBe(1)
    shell.kill('SIGINT')
    const [code] = await once(shell, 'close')
    expect([code, printed]).toEqual([1, expect.stringContaining('canceling statement due to user request')])
  })

  it('prints how to connect where there is no psql, without the password', () => {
    const { status, stdout } = psql({ PATH: '', DATA_DIR: kinora.dataDir })
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/no psql on PATH.*\n\n {2}postgresql:\/\/\w+@\/\w+\?host=/),
    ])
    const remote = psql({ PATH: '', DATABASE_URL: 'postgres://kinora:hunter2@db.test:5432/kinora' })
    expect(remote.stdout).toContain('  postgres://kinora@db.test:5432/kinora\n\nThe password is in DATABASE_URL.')
    expect(remote.stdout + remote.stderr).not.toContain('hunter2')
  })

  it('names the folder without a database, and the form of a wrong address, without a stack trace', () => {
    const nowhere = psql({ DATA_DIR: '/nowhere' })
    expect([nowhere.status, nowhere.stdout, nowhere.stderr]).toEqual([1, expect.stringContaining('in /nowhere'), ''])
    const { status, stdout } = psql({ DATABASE_URL: 'database' })
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^DATABASE_URL: must be an address such as .*\n$/)])
  })
})
