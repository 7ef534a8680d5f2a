import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../testing/freePort.ts'
import { startProgram } from '../../testing/program.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { VERSION } from '../version.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

const DRAIN_MS = 1_000
const MAIN = path.resolve(import.meta.dirname, '../../main.ts')

/** Returns the status and the Connection header of an answer, or the code of the error. */
function ask(
  port: number,
  where: string,
  agent: Agent | false = false,
): Promise<[number, string | undefined] | string> {
  return new Promise((resolve) => {
    const done = (answer: IncomingMessage) => {
      answer.resume().once('end', () => resolve([answer.statusCode!, answer.headers.connection]))
    }
    get({ host: '127.0.0.1', port, path: where, agent }, done).once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code!),
    )
  })
}

const until = (isDone: () => Promise<boolean>) => expect.poll(isDone).toBe(true)

describe('with HEALTH_PORT', () => {
  it('opens the public port only while it can serve, and answers open connections while it drains', async () => {
    const [port, healthPort] = [await freePort(), await freePort()]
    const seen: unknown[] = []
    const env = { DATABASE_URL: db.url, DATA_DIR: `${db.postgres.dataDir}-health`, DRAIN_MS: String(DRAIN_MS) }
    const starting = startProgram({ ...env, PORT: String(port), HEALTH_PORT: String(healthPort) })
    onTestFinished(async () => (await starting).kill())
    await until(async () => {
      const closed = await ask(port, '/api/v1/status')
      const health = await ask(healthPort, '/readyz')
      if (health[0] === 503) seen.push(closed)
      return health[0] === 200
    })
    expect(new Set(seen)).toEqual(new Set(['ECONNREFUSED']))
    const program = await starting

    const agent = new Agent({ keepAlive: true })
    expect(await ask(port, '/api/v1/status', agent)).toEqual([200, 'keep-alive'])
    // Unknown paths lead to the landing page where the site is built.
    expect([302, 404]).toContain((await ask(port, '/metrics'))[0])
    expect((await ask(healthPort, '/metrics'))[0]).toBe(200)

    const { version } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8'))
    expect(await (await fetch(`http://127.0.0.1:${port}/api/v1/status`)).json()).toMatchObject({ version })
    const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
    expect(metrics).toContain(`kinora_build_info{version="${version}"} 1`)

    const ended = program.stop()
    await until(async () => (await ask(healthPort, '/readyz'))[0] === 503)
    expect(await ask(port, '/api/v1/status')).toBe('ECONNREFUSED')
    expect(await ask(port, '/api/v1/status', agent)).toEqual([200, 'close'])
    expect(await ended).toBe(0)
  })
})

describe('the log of a process', () => {
  it('begins with its version and roles', async () => {
    const env = { NODE_ENV: 'test', LOG_LEVEL: 'info', PORT: '0', DATABASE_URL: db.url }
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...env, DATA_DIR: `${db.postgres.dataDir}-health` },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let printed = ''
    child.stderr.on('data', (text) => (printed += text))
    await until(async () => printed.includes('"started"'))
    const lines = printed.trim().split('\n')
    const started = JSON.parse(lines.find((line) => line.includes('"started"'))!)
    expect(started).toMatchObject({ version: VERSION, roles: ['api', 'projections', 'workflows'] })
  })
})

describe('with an address that cannot be opened', () => {
  const start = (env: Record<string, string>) => {
    const given = { ...process.env, NODE_ENV: 'test', DATA_DIR: `${db.postgres.dataDir}-taken`, ...env }
    const { status, stderr } = spawnSync(process.execPath, [MAIN], { env: given, encoding: 'utf8' })
    return [status, stderr]
  }

  it('names the setting to change in one line, without a stack trace', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const taken = (setting: string) => [
      1,
      `Port ${port} is in use. Stop the other program, or set ${setting} to another port.\n`,
    ]
    expect(start({ PORT: String(port) })).toEqual(taken('PORT'))
    expect(start({ PORT: '0', HEALTH_PORT: String(port) })).toEqual(taken('HEALTH_PORT'))
    other.close()
    const open = { PORT: '0', KINORA_ALLOW_OPEN_DEVELOPMENT: '1' }
    expect(start({ ...open, HOST: '192.0.2.1' })).toEqual([
      1,
      'This machine has no address 192.0.2.1. Set HOST to one of its addresses, or to 0.0.0.0 for all.\n',
    ])
  })
})
