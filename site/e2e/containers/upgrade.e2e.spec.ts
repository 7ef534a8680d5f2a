import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  DOUBLE_KEY,
  type MinimaxDouble,
  startMinimaxDouble,
} from '#backend/providers/video/minimax/testing/minimaxDouble.ts'
import { FORMER_VERSION, findFormerVersion } from '#backend/testing/formerVersion.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { startConstantLoad } from '#backend/testing/load/constantLoad.ts'
import { type LiveSockets, openLiveSockets } from '#backend/testing/load/liveSockets.ts'
import { registerUser, type TestUser } from '#backend/testing/testUser.ts'
import { buildImage } from '../testing/buildImage.ts'
import { type ComposeProject, composeProject, type Level, lackingForCompose } from '../testing/composeProject.ts'
import { mailCatcher } from '../testing/walkJourney.ts'

const SCRIPT = path.resolve(import.meta.dirname, '../../../scripts/upgrade.sh')
const PORTS = { small: 3496, full: 3497 }
const CALLS_PER_SECOND = 30
const SOCKETS = 500
/** A user may have 20 sockets. */
const USERS = 50
const SOCKETS_MS = 5_000
/** Each user has one video at a time, so this bounds the rate of videos. */
const RENDER_MS = 20_000
/** An image to upgrade from that is already built, to save the ten minutes. */
const BUILT = process.env.KINORA_FORMER_IMAGE
const former = findFormerVersion()
/** Address at which containers reach this process. */
const MACHINE = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

function lacking(level: Level): string {
  if (!FULL) return 'npm run test:full'
  if ((process.env.KINORA_LEVEL ?? level) !== level) return `KINORA_LEVEL=${level}`
  if (!BUILT && !former) return FORMER_VERSION
  return lackingForCompose(level) || (MACHINE ? '' : 'a network')
}

const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8', stdio: 'pipe' }).trim()

describe.each(['small', 'full'] as const)('upgrade.sh on the %s level of Compose', (level) => {
  const lacks = lacking(level)
  const image = `kinora-upgrade:${level}-${process.pid}`
  let double: MinimaxDouble
  let project: ComposeProject
  let users: TestUser[]
  let sockets: LiveSockets

  describe.skipIf(lacks)(`on a Docker Engine${lacks && ` (needs ${lacks})`}`, () => {
    beforeAll(async () => {
      double = await startMinimaxDouble({ renderMs: RENDER_MS, host: MACHINE! })
      const video = { MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url, MINIMAX_CREATES_PER_MINUTE: '1000' }
      const limits = { SESSION_RATE: '1000000', NETWORK_RATE: '1000000', PAYMENTS: 'off', MONTHLY_CREDITS: '30000' }
      project = composeProject(level, PORTS[level], { KINORA_IMAGE: image, ...video, ...limits })
      if (BUILT) docker('tag', BUILT, image)
      else buildImage(image, former)
      await project.start()
      const mails = level === 'full' ? mailCatcher(`${project.url}/dev/mail`) : undefined
      users = await Promise.all(Array.from({ length: USERS }, () => registerUser(project.url, undefined, mails)))
      sockets = await openLiveSockets(users, SOCKETS)
    }, 1_800_000)
    afterAll(async () => {
      sockets?.close()
      project?.remove()
      await double?.close()
      docker('rmi', image, 'kinora:before-upgrade')
    }, 600_000)

    // A second attempt would start from the new version.
    const onlyOnce = { timeout: 1_800_000, retry: 0 }
    it(`replaces ${BUILT ?? former} without a failed call or a lost video`, onlyOnce, async () => {
      const stopLoad = startConstantLoad(users, CALLS_PER_SECOND)
      await delay(3_000)
      const script = spawn('sh', [SCRIPT], { env: project.environment, stdio: ['ignore', 'pipe', 'pipe'] })
      const [printed, errors, [code]] = await Promise.all([
        text(script.stdout),
        text(script.stderr),
        once(script, 'close'),
      ])
      await sockets.connected()
      await delay(3_000)
      const { calls, failed, accepted } = await stopLoad()
      const worst = Math.max(...sockets.outages)
      console.log(
        `${failed.length} of ${calls} calls failed; ${sockets.outages.length} sockets lost, each back after at most ` +
          `${(worst / 1_000).toFixed(1)} s; ${accepted.length} videos accepted; canary: ${printed.split('\n').at(-2)}`,
      )
      expect(code, errors).toBe(0)
      expect(printed).toMatch(/^0 of \d+ calls failed$/m)
      expect(failed).toEqual([])
      expect(sockets.outages.length).toBeGreaterThanOrEqual(SOCKETS)
      expect(worst).toBeLessThan(SOCKETS_MS)
      expect(accepted.length).toBeGreaterThan(USERS)
      for (const { user, id } of accepted)
        await expect
          .poll(async () => (await user.call('GET', `/videos/tasks/${id}`)).json(), { timeout: 60_000 })
          .toMatchObject({ status: 'Success', credits_consumed: 30 })
    })
  })
})
