import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import {
  DOUBLE_KEY,
  type MinimaxDouble,
  startMinimaxDouble,
} from '../../providers/video/minimax/testing/minimaxDouble.ts'
import { CADDY, hasCaddy, startCaddyProxy } from '../../testing/caddyProxy.ts'
import { freePort } from '../../testing/freePort.ts'
import { type Program, startProgram } from '../../testing/program.ts'
import type { RoundRobinProxy } from '../../testing/roundRobinProxy.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { GENERATION, registerUser, type TestUser } from '../../testing/testUser.ts'

const lacking = hasCaddy() ? '' : ` (needs ${CADDY})`
const CALLS_PER_SECOND = 30
/** Each call of this number orders a video. */
const ORDER_EVERY = 60
/** upgrade.sh waits this long, so that the entry connects again to a process that it could not reach before, ms. */
const SETTLE_MS = 3_000
const READS = ['/auth/me', '/videos/tasks', '/subscriptions/stats', '/videos/queue']

describe.skipIf(lacking)(`the upgrade of the small level${lacking}`, () => {
  let db: TemporaryDatabase
  let double: MinimaxDouble
  let ports: number[]
  let entry: RoundRobinProxy
  const running: Program[] = []

  /** Starts a process with all roles, on the data folder of the others. */
  async function start(port: number): Promise<Program> {
    const address = { PORT: String(port), HEALTH_PORT: String(await freePort()), PUBLIC_URL: entry.url }
    const minimax = { MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url }
    const limits = { SESSION_RATE: '1000', NETWORK_RATE: '1000', PAYMENTS: 'off', MONTHLY_CREDITS: '10000' }
    const data = { DATABASE_URL: db.url, DATA_DIR: `${db.postgres.dataDir}-kinora` }
    const secrets = {
      SESSION_SECRET: 's'.repeat(32),
      ENCRYPTION_KEY: 'ab'.repeat(32),
      OPERATOR_PASSWORD: 'for both of them',
    }
    const settings = { ...address, ...minimax, ...limits, ...data, ...secrets }
    const program = await startProgram({ ...settings, DRAIN_MS: '3000', TRUSTED_PROXIES: '1' })
    running.push(program)
    return program
  }

  beforeAll(async () => {
    db = await startTemporaryDatabase()
    double = await startMinimaxDouble()
    ports = [await freePort(), await freePort()]
    entry = await startCaddyProxy(ports)
  })
  afterAll(async () => {
    for (const program of running) await program.kill()
    await entry?.close()
    await double?.close()
    await db?.close()
  })

  /** Calls at a fixed rate until the signal, and repeats no call. */
  async function load(user: TestUser, signal: AbortSignal) {
    const failed: string[] = []
    const accepted: string[] = []
    const calls: Promise<unknown>[] = []
    const call = async (n: number) => {
      const isOrder = n % ORDER_EVERY === 0
      const key = { 'idempotency-key': crypto.randomUUID() }
      const answer = isOrder
        ? await user.call('POST', '/videos/generate', GENERATION, key)
        : await user.call('GET', READS[n % READS.length]!)
      const text = await answer.text()
      if (answer.status !== (isOrder ? 202 : 200)) failed.push(`${isOrder}: ${answer.status} ${text}`)
      else if (isOrder) accepted.push(JSON.parse(text).task.id)
    }
    for (; !signal.aborted; await delay(1_000 / CALLS_PER_SECOND))
      calls.push(call(calls.length).catch((error) => failed.push(String(error.cause ?? error))))
    await Promise.all(calls)
    return { calls: calls.length, failed, accepted }
  }

  it('starts the new process beside the old one, fails no call and loses no video', { timeout: 600_000 }, async () => {
    const old = await start(ports[0]!)
    const user = await registerUser(entry.url)
    await eventually(async () => {
      const stats = await (await user.call('GET', '/subscriptions/stats')).json()
      expect(stats).toMatchObject({ remaining_credits: 10_060 })
    })
    const stop = new AbortController()
    const loaded = load(user, stop.signal)
    await start(ports[1]!)
    await delay(SETTLE_MS)
    expect(await old.stop()).toBe(0)
    await delay(4_000)
    stop.abort()
    const { calls, failed, accepted } = await loaded
    console.log(`${failed.length} of ${calls} calls failed, ${accepted.length} videos accepted`)
    expect(failed).toEqual([])
    expect(accepted.length).toBeGreaterThan(5)
    const done = async (id: string) => (await user.call('GET', `/videos/tasks/${id}`)).json()
    for (const id of accepted) await eventually(async () => expect(await done(id)).toMatchObject({ status: 'Success' }))
  })
})
