import net from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { freePort } from '../testing/freePort.ts'
import { type Program, startProgram } from '../testing/program.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, registerUser, type TestUser } from '../testing/testUser.ts'

let db: TemporaryDatabase
let shared: Record<string, string>
let port: number
beforeAll(async () => {
  db = await startTemporaryDatabase()
  port = await freePort()
  shared = {
    DATABASE_URL: db.url,
    PUBLIC_URL: `http://localhost:${port}`,
    SESSION_SECRET: 's'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    DATA_DIR: `${db.postgres.dataDir}-kinora`,
  }
})
afterAll(() => db.close())

const statusOf = async (url: string) => {
  const answer = await fetch(url)
  return [answer.status, ((await answer.json()) as { status: string }).status]
}

async function openSocket(user: TestUser, url: string): Promise<{ socket: WebSocket; heard: { type: string }[] }> {
  const socket = new WebSocket(await user.socketAddress(url))
  const heard: { type: string }[] = []
  socket.on('message', (text) => heard.push(JSON.parse(String(text))))
  await new Promise((resolve) => socket.once('open', resolve))
  return { socket, heard }
}

describe('roles in separate processes', () => {
  let api: TestKinora
  let worker: TestKinora
  let workerUrl: string
  beforeAll(async () => {
    const provider = await createProviderDouble()
    const workerPort = await freePort()
    workerUrl = `http://localhost:${workerPort}`
    const starting = startTestKinora({ env: { ...shared, ROLES: 'api', PORT: String(port) } })
    // No process updates the read models yet, so the API is alive but not ready.
    await eventually(async () => expect(await statusOf(`${shared.PUBLIC_URL}/readyz`)).toEqual([503, 'starting']))
    expect(await statusOf(`${shared.PUBLIC_URL}/healthz`)).toEqual([200, 'alive'])
    worker = await startTestKinora({
      provider,
      env: { ...shared, ROLES: 'projections,workflows', PORT: String(workerPort) },
    })
    api = await starting
  })
  afterAll(async () => {
    await api?.close({ keep: true })
    await worker?.close({ keep: true })
  })

  it('serve health endpoints, and nothing else without the api role', async () => {
    for (const url of [api.url, workerUrl]) {
      expect(await statusOf(`${url}/healthz`)).toEqual([200, 'alive'])
      expect(await statusOf(`${url}/readyz`)).toEqual([200, 'ready'])
    }
    expect((await fetch(`${workerUrl}/api/v1/auth/me`)).status).toBe(503)
    expect(worker.context.leases.held()).toContain('workflows')
    // A lease is taken a moment after the start.
    await eventually(() => expect(api.context.leases.held().toSorted()).toEqual(['alerts', 'sandbox']))
  })

  it('are refused if their media folders would differ', async () => {
    const elsewhere = { DATA_DIR: `${shared.DATA_DIR}-elsewhere`, PORT: '0' }
    await expect(startTestKinora({ env: { ...shared, ...elsewhere, ROLES: 'api' } })).rejects.toThrow(/DATA_DIR/)
  })

  it('render a video together, notify its socket, and share the moved calendar', async () => {
    const user = await api.newUser()
    const { socket, heard } = await openSocket(user, api.url)
    const answer = await user.call('POST', '/videos/generate', GENERATION)
    expect(answer.status).toBe(202)
    const { task } = (await answer.json()) as { task: { id: string } }
    expect(await (await user.call('GET', '/videos/tasks')).json()).toMatchObject({ total: 1, tasks: [{ id: task.id }] })
    expect(await (await user.call('GET', '/subscriptions/stats')).json()).toMatchObject({ remaining_credits: 30 })
    await eventually(() =>
      expect(heard).toContainEqual(expect.objectContaining({ task: expect.objectContaining({ status: 'Success' }) })),
    )
    expect((await user.call('GET', `/videos/preview/${task.id}`)).status).toBe(200)
    expect(heard).toContainEqual(expect.objectContaining({ type: 'credits_update', remaining: 30 }))
    await api.post('/../../dev/clock', { advance_ms: 3_600_000 })
    await expect.poll(() => worker.context.calendar() - Date.now()).toBeGreaterThan(3_500_000)
    socket.close()
  })
})

describe('a program that receives a stop signal', () => {
  let program: Program
  beforeAll(async () => {
    program = await startProgram({
      ...shared,
      PORT: String(port),
      DRAIN_MS: '3000',
      DATA_DIR: `${db.postgres.dataDir}-app`,
    })
  })

  it('reports draining, finishes requests, disconnects sockets, then exits', async () => {
    const { url } = program
    const user = await registerUser(url)
    const { socket } = await openSocket(user, url)
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    const slow = net.connect(port, 'localhost')
    const body = JSON.stringify({ email: user.email, password: 'wrong horse' })
    const head = `POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    slow.write(head + body.slice(0, 10))
    // The request that was begun has reached the server before this one.
    expect((await user.call('GET', '/auth/me')).status).toBe(200)
    const gone = program.stop()
    await eventually(async () => expect(await statusOf(`${url}/readyz`)).toEqual([503, 'draining']))
    expect((await user.call('GET', '/auth/me')).status).toBe(200)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    expect(await closed).toBe(1012)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    slow.write(body.slice(10))
    const answer = await new Promise<string>((resolve) => slow.once('data', (data) => resolve(String(data))))
    expect(answer).toMatch(/^HTTP\/1.1 401 /)
    expect(await gone).toBe(0)
    const { rows } = await db.pool.query(`select count(*)::int from pg_locks where locktype = 'advisory'`)
    expect(rows[0].count).toBe(0)
  })
})

describe('two API processes', () => {
  it('limit the calls of a user together', async () => {
    const processes: Program[] = []
    for (let n = 0; n < 2; n++) {
      const own = await freePort()
      const address = { PORT: String(own), PUBLIC_URL: `http://localhost:${own}` }
      // At the default rate, the calls would take half a minute.
      const rates = { SESSION_RATE: '100000', NETWORK_RATE: '100000' }
      processes.push(await startProgram({ ...shared, ...address, ...rates, DATA_DIR: `${db.postgres.dataDir}-app` }))
    }
    const user = await registerUser(processes[0]!.url)
    const call = async (program: Program) =>
      (await fetch(`${program.url}/api/v1/auth/me`, { headers: { cookie: user.cookie } })).status
    expect(await call(processes[1]!)).toBe(200)
    const minute = () => Math.floor(Date.now() / 60_000)
    const isLimited = async () => {
      for (let n = 0; n < 61; n++) await Promise.all(Array.from({ length: 20 }, () => call(processes[0]!)))
      // Fewer than would be refused without the calls of the other process.
      for (let n = 0; n < 600; n++) if ((await call(processes[1]!)) === 429) return true
      return false
    }
    // Calls must count in one window, so the test is repeated if a minute ends in between.
    let begun = minute()
    while (!(await isLimited())) {
      expect(minute()).toBeGreaterThan(begun)
      begun = minute()
    }
    for (const program of processes) await program.stop()
  })
})
