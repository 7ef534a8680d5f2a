import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { changeOwner, dropRoot, type Identity } from '../../kernel/postgres/dropRoot.ts'
import { runAudit } from '../../programs/audit.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { FULL } from '../../testing/fullRun.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

const DEBIAN = '/usr/lib/postgresql'
/** Programs of a PostgreSQL server. The embedded one has no pg_basebackup. */
const programs = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .map((version) => path.join(DEBIAN, version, 'bin'))
      .findLast((folder) => existsSync(path.join(folder, 'pg_basebackup')))
  : undefined
const lacks = FULL
  ? programs
    ? ''
    : ' (needs a server with pg_basebackup, of the Debian package postgresql)'
  : ' (in the full run)'

const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-pitr-'))
const at = (name: string) => path.join(place, name)
const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(place)}`

describe.skipIf(lacks)(`point-in-time recovery of PostgreSQL, as operations.md describes it${lacks}`, () => {
  let identity: Identity
  const run = (program: string, ...args: string[]) => {
    const [command, ...rest] = [...identity.prefix, path.join(programs!, program), ...args]
    // A server inherits the output of pg_ctl, which would then never end.
    return execFileSync(command!, rest, { ...identity.ids, cwd: '/', stdio: 'ignore' })
  }
  const start = (folder: string) => run('pg_ctl', 'start', '-w', '-D', folder, '-l', `${folder}.log`)
  const stop = (folder: string) => run('pg_ctl', 'stop', '-w', '-m', 'fast', '-D', folder)
  const sql = async (text: string) => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  let kinora: TestKinora | undefined

  beforeAll(() => {
    identity = dropRoot(path.join(programs!, 'postgres'))
    for (const name of ['live', 'restored', 'archive']) mkdirSync(at(name), { mode: 0o700 })
    chmodSync(place, 0o755)
    if (identity.ids.uid !== undefined) changeOwner(place, identity)
    run('initdb', '-D', at('live'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C')
    appendFileSync(
      path.join(at('live'), 'postgresql.conf'),
      `listen_addresses = ''
      unix_socket_directories = '${place}'
      wal_level = replica
      archive_mode = on
      archive_timeout = 60
      archive_command = 'test ! -f ${at('archive')}/%f && cp %p ${at('archive')}/%f'\n`,
    )
    start(at('live'))
  })
  afterAll(async () => {
    await kinora?.close()
    stop(at('restored'))
    rmSync(place, { recursive: true, force: true, maxRetries: 10 })
  })

  it('restores the moment before an accident, hours after the base backup', { timeout: 600_000 }, async () => {
    const provider = await createProviderDouble()
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-pitr-data-'))
    kinora = await startTestKinora({ provider, env: { DATABASE_URL: url, DATA_DIR: dataDir } })
    const user = await kinora.newUser()
    const videos = [(await generate(user)).id]
    await reaches(user, videos[0]!, { status: 'Success' })
    run('pg_basebackup', '-h', place, '-U', 'postgres', '-D', at('restored'), '--checkpoint=fast')
    videos.push((await generate(user)).id)
    await reaches(user, videos[1]!, { status: 'Success' })
    await kinora.close({ keep: true })
    kinora = undefined
    const [{ now }] = (await sql('select now()::text as now')) as [{ now: string }]
    await sql('delete from event')
    await sql('drop table video_task')
    await sql('select pg_switch_wal()')
    stop(at('live'))

    appendFileSync(
      path.join(at('restored'), 'postgresql.auto.conf'),
      `restore_command = 'cp ${at('archive')}/%f %p'
      archive_mode = off
      recovery_target_time = '${now}'
      recovery_target_action = promote\n`,
    )
    writeFileSync(path.join(at('restored'), 'recovery.signal'), '')
    if (identity.ids.uid !== undefined) changeOwner(at('restored'), identity)
    start(at('restored'))
    await expect.poll(() => sql('select pg_is_in_recovery() as busy')).toEqual([{ busy: false }])
    kinora = await startTestKinora({ provider, env: { DATABASE_URL: url, DATA_DIR: dataDir } })
    for (const id of videos) {
      const answer = await fetch(`${kinora.api}/videos/tasks/${id}`, { headers: { cookie: user.cookie } })
      expect(await answer.json()).toMatchObject({ id, status: 'Success' })
    }
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    const env = { DATABASE_URL: url, DATA_DIR: dataDir }
    expect(await runAudit(['verify'], { env, print, printError: print }), lines.join('\n')).toBe(0)
  })
})
