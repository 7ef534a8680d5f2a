import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { copyCluster } from '#backend/testing/clusterTemplate.ts'
import { submit, untilEnded } from '#backend/testing/creator.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { registerUser } from '#backend/testing/testUser.ts'

const SERVER = path.join(process.env.KINORA_TEST_PROGRAMS!, 'main.js')
const SUPERVISOR = path.join(import.meta.dirname, 'supervise.mjs')
const THROW = path.join(import.meta.dirname, '../testing/throwOnSignal.mjs')
const OPERATOR = { username: 'olga', password: 'a password for olga' }

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-supervised-'))
let supervisor: ChildProcess | undefined
afterAll(() => {
  supervisor?.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
})

/** Starts the server as the image does. */
function start(env: Record<string, string>) {
  const operator = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  const child = spawn(process.execPath, [SUPERVISOR, SERVER], {
    env: {
      ...process.env,
      NODE_ENV: 'test',
      LOG_LEVEL: 'fatal',
      NODE_OPTIONS: `--import=${THROW}`,
      ...operator,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  supervisor = child
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text))
  const all = (pattern: RegExp) => [...printed.matchAll(pattern)].map(([, found]) => found!)
  return {
    child,
    exited: once(child, 'exit'),
    printed: () => printed,
    addresses: () => all(/^ready (\S+)$/gm),
    pids: () => all(/^loaded into (\d+) .*main\.js$/gm).map(Number),
  }
}

it('a server that an uncaught error ends is started again, continues its work and tells the operator', async () => {
  await copyCluster(path.join(folder, 'postgres'))
  const port = await freePort()
  const { child, exited, printed, addresses, pids } = start({ DATA_DIR: folder, PORT: String(port) })
  const untilReady = (times: number) => eventually(() => expect(addresses(), printed()).toHaveLength(times))
  await untilReady(1)
  const url = `http://localhost:${port}`
  const user = await registerUser(url)
  const task = await submit(user, 'a lighthouse in the rain')
  for (const restarts of [1, 2]) {
    process.kill(pids().at(-1)!, 'SIGUSR2')
    await untilReady(restarts + 1)
  }
  expect(addresses()).toEqual([url, url, url])
  expect(new Set(pids()).size).toBe(3)
  const lines = printed().split('\n')
  expect(
    lines.filter((line) => line.includes('"level":60') && line.includes('"message":"thrown by a test"')),
  ).toHaveLength(2)
  expect(await untilEnded(user, task)).toMatchObject({ status: 'Success' })

  const signIn = await fetch(`${url}/api/v1/analytics/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OPERATOR),
  })
  const cookie = signIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const board = await fetch(`${url}/api/v1/analytics/tasks`, { headers: { cookie } })
  expect(await board.json()).toMatchObject({ data: { alerts: [{ code: 'server_restarted', times: 2 }] } })

  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  expect(pids()).toHaveLength(3)
})

it('a server that refuses its settings is not started again', async () => {
  const { exited, printed, pids } = start({ PORT: 'none' })
  expect(await exited).toEqual([1, null])
  expect(printed()).toMatch(/PORT/)
  expect([pids().length, printed().includes('started again')]).toEqual([1, false])
})
