import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embeddedPostgres.ts'

const isRoot = process.getuid?.() === 0
const root = path.resolve(import.meta.dirname, '../../..')

/** A process that starts PostgreSQL, prints the server as JSON, and runs until it is killed. */
const starterProgram = `
import { startEmbeddedPostgres } from './backend/kernel/postgres/embeddedPostgres.ts'
const server = await startEmbeddedPostgres({ dataDir: process.env.DATA_DIR, durable: false })
console.log(JSON.stringify(server))
setInterval(() => {}, 1000)`

let folder: string
const servers: EmbeddedPostgres[] = []
const children: ChildProcess[] = []

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kinora-embedded-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of servers) await server.stop()
  for (const { socketDir } of servers.splice(0)) fs.rmSync(socketDir, { recursive: true, force: true, maxRetries: 10 })
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

async function start(dataDir = path.join(folder, 'data')): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  servers.push(server)
  return server
}

async function startElsewhere(options: { env?: object; uid?: number; gid?: number } = {}) {
  const { env, ...ids } = options
  const dataDir = path.join(folder, 'data')
  const child = spawn(process.execPath, ['--input-type=module', '--eval', starterProgram], {
    ...ids,
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const told = once(createInterface({ input: child.stdout }), 'line')
  const left = once(child, 'exit').then(() => {
    throw new Error(`the starter ended: ${complaint}`)
  })
  left.catch(() => {})
  const [line] = (await Promise.race([told, left])) as [string]
  const server: EmbeddedPostgres = { ...JSON.parse(line), stop: async () => {} }
  servers.push(server)
  return { child, dataDir, server }
}

async function query(server: EmbeddedPostgres, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    host: server.socketDir,
    port: server.port,
    user: server.user,
    database: server.database,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    const result = await client.query(text)
    return result.rows ?? []
  } finally {
    await client.end()
  }
}

function whyNoOtherUser(): string | undefined {
  if (!isRoot) return 'the tests do not run as root'
  try {
    const asNobody = { uid: 65534, gid: 65534, cwd: root }
    const entry = path.join(root, 'node_modules/pg/package.json')
    execFileSync(process.execPath, ['-e', 'require("fs").readFileSync(process.argv[1])', entry], asNobody)
    return undefined
  } catch {
    return 'another user may not read node_modules'
  }
}

describe(`embedded Postgres, started by ${isRoot ? 'root' : 'a normal user'}`, () => {
  it('uses UTF-8 on a private socket and opens no port', async () => {
    const server = await start()
    expect(server.owned).toBe(true)
    const [row] = await query(
      server,
      `select current_setting('server_encoding') encoding, current_setting('listen_addresses') addresses, upper('é') letter`,
    )
    expect(row).toEqual({ encoding: 'UTF8', addresses: '', letter: 'É' })
    expect(fs.statSync(server.socketDir).mode & 0o777).toBe(0o700)
  })

  it('keeps its data over a restart', async () => {
    const first = await start()
    await query(first, 'create table kept as select 7 as n')
    await first.stop()
    await first.exited
    expect(await query(await start(), 'select n from kept')).toEqual([{ n: 7 }])
  })

  it('accepts a path with spaces and Chinese characters', async () => {
    const server = await start(path.join(folder, 'my data', '数据 库'))
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  it('ignores locale and PG* variables', async () => {
    const env = { LANG: 'xx_XX', LC_ALL: 'tr_TR.ISO-8859-9', PGPORT: '1', PGDATA: '/nowhere' }
    const { server } = await startElsewhere({ env })
    expect(await query(server, `select lower('I') as letter, 'ı中' as text`)).toEqual([{ letter: 'i', text: 'ı中' }])
  })

  it('starts one server for two concurrent starts', async () => {
    const starters = await Promise.all([startElsewhere(), start()])
    const [other, mine] = [starters[0].server, starters[1]]
    expect([other.owned, mine.owned].filter(Boolean)).toHaveLength(1)
    expect(other.pid).toBe(mine.pid)
    expect(await query(mine, 'select 1 as n')).toEqual([{ n: 1 }])
    expect(fs.readdirSync(folder)).toEqual(['data'])
  })

  it('stops when its parent is killed, and restarts with the data', async () => {
    const { child, server } = await startElsewhere()
    await query(server, 'create table kept as select generate_series(1, 1000) as n')
    child.kill('SIGKILL')
    // Immediately, while the old server is still stopping.
    const next = await start()
    expect(next.owned).toBe(true)
    expect(next.pid).not.toBe(server.pid)
    expect(() => process.kill(server.pid, 0)).toThrow('ESRCH')
    expect(await query(next, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }])
  })

  it('goes on when the program that started the server ends, and stops with the last one', async () => {
    const { child } = await startElsewhere()
    const joined = await start()
    expect(joined.owned).toBe(false)
    await query(joined, 'create table kept as select 7 as n')
    child.kill('SIGKILL')
    await eventually(() => expect(() => process.kill(joined.pid, 0)).toThrow('ESRCH'))
    await eventually(async () => expect(await query(joined, 'select n from kept')).toEqual([{ n: 7 }]))
    await joined.stop()
    await joined.exited
    await expect(query(joined, 'select 1')).rejects.toThrow()
  })

  it('restarts after the server was killed', async () => {
    const first = await start()
    await query(first, 'create table kept as select 7 as n')
    process.kill(first.pid, 'SIGKILL')
    await first.exited
    expect(await query(await start(), 'select n from kept')).toEqual([{ n: 7 }])
  })

  it.runIf(process.platform === 'linux')('removes a stale lock whose pid belongs to another program', async () => {
    const first = await start()
    await first.stop()
    const lock = [process.pid, path.join(folder, 'data'), 1, first.port, first.socketDir, '', ' 1 1', 'ready', '']
    fs.writeFileSync(path.join(folder, 'data/postmaster.pid'), lock.join('\n'))
    const second = await start()
    expect(second.owned).toBe(true)
    expect(await query(second, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  it('rejects a cluster of another major version', async () => {
    fs.mkdirSync(path.join(folder, 'data'))
    fs.writeFileSync(path.join(folder, 'data/PG_VERSION'), '9\n')
    await expect(start()).rejects.toThrow(/made by PostgreSQL 9, but 18 is installed/)
  })
})

const lacking = whyNoOtherUser()
describe.skipIf(lacking)(`embedded Postgres, run by another user${lacking ? ` (skipped: ${lacking})` : ''}`, () => {
  it('starts as the account nobody', async () => {
    fs.chownSync(folder, 65534, 65534)
    const { server, dataDir } = await startElsewhere({ uid: 65534, gid: 65534 })
    expect(fs.statSync(dataDir).uid).toBe(65534)
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  it('starts for root as another account where user namespaces are forbidden', async () => {
    // Without the `unshare` program there are no namespaces; `id` looks the account up.
    const programs = path.join(folder, 'programs')
    fs.mkdirSync(programs)
    fs.symlinkSync(execFileSync('which', ['id']).toString().trim(), path.join(programs, 'id'))
    fs.chmodSync(folder, 0o755)
    const { server, dataDir } = await startElsewhere({ env: { PATH: programs } })
    expect(fs.statSync(dataDir).uid).not.toBe(0)
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }])
  })
})
