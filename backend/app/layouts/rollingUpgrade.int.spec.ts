import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findTemporal } from '#workflows/testing/temporalServer.ts'
import { liveSocket } from '../../../site/src/api/socket.ts'
import { runAdjust } from '../../programs/adjust.ts'
import {
  DOUBLE_KEY,
  type MinimaxDouble,
  startMinimaxDouble,
} from '../../providers/video/minimax/testing/minimaxDouble.ts'
import { SOCKET_UNAUTHENTICATED } from '../../tasks/contract.ts'
import { CADDY, hasCaddy, startCaddyProxy } from '../../testing/caddyProxy.ts'
import { submit, untilEnded } from '../../testing/creator.ts'
import { checkOut, findFormerVersion } from '../../testing/formerVersion.ts'
import { FULL } from '../../testing/fullRun.ts'
import { MAIN } from '../../testing/program.ts'
import { type ProcessName, type SplitLayout, startSplitLayout } from '../../testing/splitLayout.ts'
import { GENERATION, registerUser, type TestUser } from '../../testing/testUser.ts'

const temporal = findTemporal()
const former = findFormerVersion()
const lacks = [!temporal && 'temporal', !hasCaddy() && CADDY, !former && 'a former commit'].filter(Boolean).join(', ')
/** Those of compose's full level, which has a second worker too. */
const PROCESSES: readonly ProcessName[] = [
  'api1',
  'api2',
  'projector',
  'worker1',
  ...(FULL ? ['worker2' as const] : []),
]
const CALLS_PER_SECOND = FULL ? 30 : 10
const SOCKETS = FULL ? 500 : 40
/** A user may have 20 sockets. */
const USERS = FULL ? 50 : 8
/** `npm test` runs other tests at the same time, and allows thrice as much. */
const SOCKETS_MS = FULL ? 5_000 : 15_000
/** upgrade.sh waits this long, so that the entry connects again to a process that it could not reach before, ms. */
const SETTLE_MS = 3_000
const READS = ['/videos/tasks', '/credits/history', '/subscriptions/stats', '/auth/me', '/videos/queue']

describe.skipIf(lacks)(`the upgrade of a split layout${lacks && ` (needs ${lacks})`}`, () => {
  let layout: SplitLayout
  let double: MinimaxDouble
  let users: TestUser[]
  let old: ReturnType<typeof checkOut>
  /** Milliseconds that sockets were disconnected, one for each loss. */
  const outages: number[] = []
  const sockets: { connected: boolean; disconnect: () => void }[] = []

  beforeAll(async () => {
    old = checkOut(former!)
    double = await startMinimaxDouble({ renderMs: 500 })
    const env = { MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url, TRUSTED_PROXIES: '1', DRAIN_MS: '3000' }
    const limits = { SESSION_RATE: '1000000', NETWORK_RATE: '1000000', MINIMAX_CREATES_PER_MINUTE: '1000' }
    layout = await startSplitLayout({
      ...{ temporal: temporal!, processes: PROCESSES, entry: old.entry, balance: startCaddyProxy },
      env: { ...env, ...limits },
    })
    users = await Promise.all(Array.from({ length: USERS }, () => registerUser(layout.url)))
    for (const { userId } of users) {
      const args = ['--user', userId, '--amount', '30000', '--reason', 'to be used up']
      const env = { DATABASE_URL: layout.databaseUrl, EVENTSTORE_URL: layout.eventStoreUrl }
      expect(await runAdjust(args, env, () => {})).toBe(0)
    }
    for (let n = 0; n < SOCKETS; n++) sockets.push(openSocket(users[n % USERS]!))
    await vi.waitFor(() => expect(sockets.every(({ connected }) => connected)).toBe(true), 60_000)
  }, 300_000)
  afterAll(async () => {
    for (const { disconnect } of sockets) disconnect()
    await layout?.close()
    await double?.close()
    old?.remove()
  })

  /** Opens a WebSocket that reconnects as the site's does. */
  function openSocket(user: TestUser) {
    const socket = { connected: false, disconnect: () => {} }
    let lostAt: number | undefined
    socket.disconnect = liveSocket({
      address: async () => {
        const { token } = (await (await user.call('POST', '/ws/token')).json()) as { token: string }
        return `${layout.url.replace('http', 'ws')}/api/v1/ws?token=${token}`
      },
      open: (address) => new WebSocket(address),
      onMessage: () => {},
      onChange: (now) => {
        socket.connected = now
        if (now && lostAt) outages.push(performance.now() - lostAt)
        lostAt = performance.now()
      },
      onGiveUp: () => {},
      refusedCode: SOCKET_UNAUTHENTICATED,
    })
    return socket
  }

  /** Sends calls at a constant rate until the signal: reads, and a new video of each user as soon as the last has ended. */
  async function load(signal: AbortSignal) {
    const open = new Map<TestUser, string>()
    const accepted: { user: TestUser; id: string }[] = []
    const failed: string[] = []
    const calls: Promise<void>[] = []
    const call = async (user: TestUser, n: number) => {
      const last = open.get(user)
      if (n % 3 === 0 && !last) {
        open.set(user, 'asked')
        const key = { 'idempotency-key': crypto.randomUUID() }
        const answer = await user.call('POST', '/videos/generate', GENERATION, key)
        if (answer.status !== 202) return void failed.push(`generate: ${answer.status} ${await answer.text()}`)
        const { task } = (await answer.json()) as { task: { id: string } }
        open.set(user, task.id)
        accepted.push({ user, id: task.id })
      } else if (n % 3 === 1 && last && last !== 'asked') {
        const answer = await user.call('GET', `/videos/tasks/${last}`)
        if (answer.status !== 200) return void failed.push(`task: ${answer.status}`)
        if (/Success|Fail/.test(((await answer.json()) as { status: string }).status)) open.delete(user)
      } else {
        const path = READS[n % READS.length]!
        const answer = await user.call('GET', path)
        if (answer.status !== 200) failed.push(`${path}: ${answer.status}`)
        await answer.arrayBuffer()
      }
    }
    const start = performance.now()
    for (let n = 0; !signal.aborted; n++) {
      await delay(Math.max(0, start + (n * 1_000) / CALLS_PER_SECOND - performance.now()))
      const user = users[n % USERS]!
      calls.push(call(user, Math.floor(n / USERS)).catch((error) => void failed.push(String(error.cause ?? error))))
    }
    await Promise.all(calls)
    return { calls: calls.length, failed, accepted }
  }

  it(`from ${former}, process by process, fails no call and loses no video`, { timeout: 600_000 }, async () => {
    const stop = new AbortController()
    const loaded = load(stop.signal)
    await delay(3_000)
    for (const name of PROCESSES) {
      await layout.stop(name)
      await layout.start(name, MAIN)
      await delay(SETTLE_MS)
      await vi.waitFor(() => expect(sockets.every(({ connected }) => connected)).toBe(true), 60_000)
    }
    await delay(3_000)
    stop.abort()
    const { calls, failed, accepted } = await loaded
    console.log(
      `${failed.length} of ${calls} calls failed while ${PROCESSES.length} processes were replaced; ` +
        `${outages.length} sockets lost, each back after at most ${(Math.max(...outages) / 1_000).toFixed(1)} s; ` +
        `${accepted.length} videos accepted`,
    )
    expect(failed).toEqual([])
    // Each API is replaced once.
    expect(outages.length).toBeGreaterThanOrEqual(SOCKETS)
    expect(Math.max(...outages)).toBeLessThan(SOCKETS_MS)
    expect(accepted.length).toBeGreaterThan(USERS)
    for (const { user, id } of accepted)
      await vi.waitFor(
        async () => {
          const task = await (await user.call('GET', `/videos/tasks/${id}`)).json()
          expect(task).toMatchObject({ status: 'Success', credits_consumed: 30 })
        },
        { timeout: 60_000, interval: 200 },
      )
  })

  it(`can be rolled back to ${former}, which makes videos on the new schema`, { timeout: 180_000 }, async () => {
    for (const name of PROCESSES) await layout.stop(name)
    for (const name of ['api1', 'worker1', 'projector'] as const) await layout.start(name, old.entry)
    const id = await submit(users[0]!, 'after the rollback')
    expect(await untilEnded(users[0]!, id)).toMatchObject({ status: 'Success' })
  })
})
