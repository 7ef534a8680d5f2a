import { execFileSync, spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { buildImage } from '../testing/buildImage.ts'
import { chromiumPath, launchChromium } from '../testing/chromium.ts'
import { walkJourney } from '../testing/walkJourney.ts'

const PORT = 3493
const NAME = `kinora-image-${process.pid}`
/** An image that is already built, to save the ten minutes. */
const BUILT = process.env.KINORA_IMAGE
/** Unpacked size in MB, with PostgreSQL. */
const MAX_SIZE = 360

function lacking(): string {
  if (!FULL) return 'npm run test:full'
  if (spawnSync('docker', ['version']).status !== 0) return 'a Docker Engine'
  return chromiumPath() ? '' : 'a Chromium'
}
const lacks = lacking()

const docker = (...args: string[]) =>
  execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

function start(image: string): void {
  spawnSync('docker', ['rm', '-f', NAME])
  const limits = ['--cpus=1', '--memory=1g', '--read-only', '--tmpfs=/tmp']
  const settings = ['-e', 'KINORA_ALLOW_OPEN_DEVELOPMENT=1', '-e', `PORT=${PORT}`, '-v', `${NAME}:/data`]
  docker('run', '-d', `--name=${NAME}`, ...limits, ...settings, '-p', `127.0.0.1:${PORT}:${PORT}`, image)
}

async function untilHealthy(): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await delay(500)) {
    if (docker('inspect', '-f', '{{.State.Health.Status}}', NAME).trim() === 'healthy') return
    if (Date.now() > deadline) throw new Error(docker('logs', NAME))
  }
}

describe.skipIf(lacks)(`the image${lacks && ` (needs ${lacks})`}`, () => {
  const image = BUILT ?? NAME
  beforeAll(() => BUILT ?? buildImage(image), 1_800_000)
  afterAll(() => {
    spawnSync('docker', ['rm', '-f', NAME])
    spawnSync('docker', ['volume', 'rm', '-f', NAME])
    if (!BUILT) spawnSync('docker', ['rmi', image])
  })

  it('refuses to open development to other machines without being told', () => {
    const { status, stderr } = spawnSync('docker', ['run', '--rm', image], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('KINORA_ALLOW_OPEN_DEVELOPMENT=1')])
  })

  it('has one Node, no npm, and parts for this platform alone', () => {
    const inside = (script: string) => docker('run', '--rm', image, 'sh', '-c', script)
    expect(inside('find / -xdev -type f -name node -size +1000k')).toBe('/usr/bin/node\n')
    expect(inside('command -v npm || echo none')).toBe('none\n')
    const foreign = '-path "*darwin*" -o -path "*win32*" -o -path "*musl*"'
    expect(inside(`find /app/node_modules -name "*.node" \\( ${foreign} \\)`)).toBe('')
    expect(inside(`node -e "import('@temporalio/worker').then(() => console.log('loaded'))"`)).toBe('loaded\n')
    // The folder's own time would change the digest of the layer.
    expect(inside('stat -c %Y /app /app/backend')).toBe('0\n0\n')
    expect(Number(docker('image', 'inspect', '-f', '{{.Size}}', image)) / 1e6).toBeLessThan(MAX_SIZE)
  })

  it('makes videos with 1 CPU and 1 GB on a read-only root, and keeps them', { timeout: 600_000 }, async () => {
    start(image)
    await untilHealthy()
    const browser = await launchChromium()
    try {
      await walkJourney(browser, `http://localhost:${PORT}`, { language: 'en', width: 1280 })
    } finally {
      await browser.close()
    }
    expect(docker('inspect', '-f', '{{.State.OOMKilled}}', NAME).trim()).toBe('false')
    docker('stop', '-t', '30', NAME)
    expect(docker('inspect', '-f', '{{.State.ExitCode}}', NAME).trim()).toBe('0')
    docker('start', NAME)
    await untilHealthy()
  })
})
