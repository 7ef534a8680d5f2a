import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../app/config/readConfig.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../kernel/postgres/testing/temporaryPostgres.ts'
import { runRestore } from '../../programs/restore.ts'
import { createFolderMediaStore } from '../../providers/storage/folderMediaStore.ts'
import { startTemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { backupKeys, newPhrase, recipientOf } from '../recoveryPhrase.ts'
import { takeCopy } from '../takeCopy.ts'
import { backUp } from './backUp.ts'

const VIDEO = 'media/videos/task.mp4'
const OWN_FILES = ['comfyui/wan.json', 'models/wan.json', 'providers/acme.json', 'templates/fox.mp4']
const home = mkdtempSync(path.join(os.tmpdir(), 'kinora-restore-copy-'))
const copies = path.join(home, 'copies')
const backup = path.join(home, 'backup')
const phrase = newPhrase()
let target: TemporaryPostgres
let printed: string[] = []

beforeAll(async () => {
  const from = await startTemporaryDatabase()
  const dataDir = path.join(home, 'data')
  for (const name of [VIDEO, ...OWN_FILES]) {
    mkdirSync(path.dirname(path.join(dataDir, name)), { recursive: true })
    writeFileSync(path.join(dataDir, name), `content of ${name}`)
  }
  const config = readConfig({ NODE_ENV: 'test', DATA_DIR: dataDir, DATABASE_URL: from.url })
  const keys = await backupKeys(await recipientOf(phrase), config.secrets.encryption)
  const place = createFolderMediaStore(copies)
  const { signal } = new AbortController()
  await takeCopy({ config, place, keys, temporaryDir: home, now: Date.now(), erased: [], signal })
  await backUp(config, backup, true)
  await from.close()
  target = await startTemporaryPostgres()
})
afterAll(async () => {
  await target.close()
  rmSync(home, { recursive: true, force: true })
})

function restoreInto(dataDir: string, from = copies, database: string = target.server.database) {
  const { socketDir, user } = target.server
  const url = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  const args = ['--from', from, '--database', url]
  printed = []
  return runRestore(
    args,
    { DATA_DIR: dataDir },
    (line) => printed.push(line),
    async () => phrase,
  )
}

it('keeps a database marked as unfinished until the files of the copy are in their place', async () => {
  const dataDir = path.join(home, 'restored')
  // Holds the statement that removes the mark.
  await target.pool.query(`
    create function hold() returns event_trigger language plpgsql as $$ begin
      if current_query() like '%unfinished_restore' then perform pg_advisory_xact_lock(1); end if;
    end $$;
    create event trigger hold on ddl_command_start when tag in ('DROP TABLE') execute function hold()`)
  const holder = await target.pool.connect()
  await holder.query('select pg_advisory_lock(1)')
  const restored = restoreInto(dataDir)
  const held = `select from pg_stat_activity where query like 'drop table unfinished_restore' and wait_event = 'advisory'`
  await expect.poll(async () => (await target.pool.query(held)).rowCount).toBe(1)
  const isThere = existsSync(path.join(dataDir, VIDEO))
  await holder.query('select pg_advisory_unlock(1)')
  holder.release()
  expect(await restored, printed.join()).toBe(0)
  expect(isThere).toBe(true)
})

it.each([
  ['.restoring-x', copies],
  [VIDEO, backup],
])('refuses a folder with %s that an interrupted restore has left, and says what to do', async (left, from) => {
  const dataDir = path.join(home, left.replace('/', ' '))
  mkdirSync(path.join(dataDir, left), { recursive: true })
  expect(await restoreInto(dataDir, from)).toBe(1)
  expect(printed.join()).toContain(`is not empty: it has ${left}. Restore into a new folder, or empty it if`)
})

it('restores a backup beside files of its folder that the backup does not have', async () => {
  const dataDir = path.join(home, 'kept')
  mkdirSync(path.join(dataDir, 'models'), { recursive: true })
  await target.pool.query('create database lost')
  expect(await restoreInto(dataDir, backup, 'lost'), printed.join()).toBe(0)
})

it.each([
  ['nightly', copies],
  ['manual', backup],
])('restores the models, providers and graphs of the operator from a %s copy', async (kind, from) => {
  const dataDir = path.join(home, kind)
  await target.pool.query(`create database ${kind}`)
  expect(await restoreInto(dataDir, from, kind), printed.join()).toBe(0)
  for (const name of OWN_FILES)
    expect(existsSync(path.join(dataDir, name)) && readFileSync(path.join(dataDir, name), 'utf8')).toBe(
      `content of ${name}`,
    )
})

it('reads the phrase that is piped into npm run restore, and restores to the root of a disk', () => {
  const into = path.join(home, 'piped')
  mkdirSync(path.join(into, 'lost+found'), { recursive: true })
  const args = ['scripts/program.mjs', 'backend/programs', 'restore', '--from', copies, '--into', into]
  const { status, stdout } = spawnSync(process.execPath, args, { input: phrase, encoding: 'utf8' })
  expect(status, stdout).toBe(0)
  expect(existsSync(path.join(into, VIDEO))).toBe(true)
})

// The `script` of Linux runs a program in a terminal.
it.skipIf(process.platform !== 'linux')(
  'ends without a stack trace on Ctrl-C at the question for the phrase',
  async () => {
    const into = path.join(home, 'cancelled')
    const command = `${process.execPath} scripts/program.mjs backend/programs restore --from ${copies} --into ${into}`
    const terminal = spawn('script', ['-qec', command, '/dev/null'])
    let shown = ''
    terminal.stdout.on('data', (text) => (shown += text))
    await expect.poll(() => shown).toContain('Recovery phrase')
    terminal.stdin.write('\x03')
    const [code] = await once(terminal, 'close')
    expect([code, shown]).toEqual([130, expect.not.stringContaining('AbortError')])
  },
)
