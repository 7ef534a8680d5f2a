import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { findTemporal } from '#workflows/testing/temporalServer.ts'
import { runAdjust } from '../../programs/adjust.ts'
import {
  DOUBLE_KEY,
  type MinimaxDouble,
  startMinimaxDouble,
} from '../../providers/video/minimax/testing/minimaxDouble.ts'
import { CADDY, hasCaddy, startCaddyProxy } from '../../testing/caddyProxy.ts'
import { submit, untilEnded } from '../../testing/creator.ts'
import { checkOut, FORMER_VERSION, findFormerVersion } from '../../testing/formerVersion.ts'
import { FULL } from '../../testing/fullRun.ts'
import { startConstantLoad } from '../../testing/load/constantLoad.ts'
import { type LiveSockets, openLiveSockets } from '../../testing/load/liveSockets.ts'
import { MAIN } from '../../testing/program.ts'
import { type ProcessName, type SplitLayout, startSplitLayout } from '../../testing/splitLayout.ts'
import { registerUser, type TestUser } from '../../testing/testUser.ts'

const temporal = findTemporal()
const former = findFormerVersion()
const lacks = [!temporal && 'temporal', !hasCaddy() && CADDY, !former && FORMER_VERSION].filter(Boolean).join(', ')
/** Those of compose's full level, which has a second worker too. */
const PROCESSES: readonly ProcessName[] = [
  'api1',
  'api2',
  'projector',
  'worker1',
  ...(FULL ? ['worker2' as const] : []),
]
const CALLS_PER_SECOND = FULL ? 30 : 10
/** Each user has one video at a time, so this bounds the rate of videos. */
const RENDER_MS = FULL ? 20_000 : 2_000
const SOCKETS = FULL ? 500 : 40
/** A user may have 20 sockets. */
const USERS = FULL ? 50 : 8
/** `npm test` runs other tests at the same time, and allows thrice as much. */
const SOCKETS_MS = FULL ? 5_000 : 60_000
/** upgrade.sh waits this long, so that the entry connects again to a process that it could not reach before, ms. */
const SETTLE_MS = 3_000

describe.skipIf(lacks)(`the upgrade of a split layout${lacks && ` (needs ${lacks})`}`, () => {
  let layout: SplitLayout
  let double: MinimaxDouble
  let users: TestUser[]
  let old: ReturnType<typeof checkOut>
  let sockets: LiveSockets

  beforeAll(async () => {
    old = checkOut(former!)
    double = await startMinimaxDouble({ renderMs: RENDER_MS })
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
    sockets = await openLiveSockets(users, SOCKETS)
  }, 600_000)
  afterAll(async () => {
    sockets?.close()
    await layout?.close()
    await double?.close()
    old?.remove()
  })

  it(`from ${former}, process by process, fails no call and loses no video`, { timeout: 600_000 }, async () => {
    const stopLoad = startConstantLoad(users, CALLS_PER_SECOND)
    await delay(3_000)
    for (const name of PROCESSES) {
      await layout.stop(name)
      await layout.start(name, MAIN)
      await delay(SETTLE_MS)
      await sockets.connected()
    }
    await delay(3_000)
    const { calls, failed, accepted } = await stopLoad()
    const { outages } = sockets
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
      await eventually(async () => {
        const task = await (await user.call('GET', `/videos/tasks/${id}`)).json()
        expect(task).toMatchObject({ status: 'Success', credits_consumed: 30 })
      })
  })

  it(`can be rolled back to ${former}, which makes videos on the new schema`, { timeout: 600_000 }, async () => {
    for (const name of PROCESSES) await layout.stop(name)
    for (const name of ['api1', 'worker1', 'projector'] as const) await layout.start(name, old.entry)
    const id = await submit(users[0]!, 'after the rollback')
    expect(await untilEnded(users[0]!, id)).toMatchObject({ status: 'Success' })
  })
})
