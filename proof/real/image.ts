import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import ffmpegInstaller from '@ffmpeg-installer/ffmpeg'
import { freePort } from '#backend/testing/freePort.ts'
import { SLACK } from '#backend/testing/fullRun.ts'
import { walkJourney } from './journey.ts'
import { type Part, type PartContext, Skipped } from './part.ts'
import { stop } from './server.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** User of the image. */
const USER = 1000

/** The files of the image, as the program that `docker run` would start, without Docker. */
export const IMAGE_PARTS: readonly Part[] = [{ name: 'image in a changed root', run: tryImage }]

async function tryImage({ folder }: PartContext): Promise<string> {
  const isDebian = existsSync('/etc/os-release') && /bookworm/.test(readFileSync('/etc/os-release', 'utf8'))
  if (process.getuid?.() !== 0 || !isDebian) throw new Skipped('it needs root on Debian 12, of which the image is made')
  const root = path.join(folder, 'root')
  mkdirSync(root)
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` }
  const step = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] })
  step('sh', 'scripts/image/system.sh', root)
  // `ffmpeg.sh` compiles for minutes. A static one stands in for it.
  copyFileSync(ffmpegInstaller.path, path.join(root, 'usr/bin/ffmpeg'))
  step(process.execPath, 'scripts/image/build.mjs', path.join(root, 'app'))
  for (const device of ['null', 'zero', 'random', 'urandom']) {
    mkdirSync(path.join(root, 'dev'), { recursive: true })
    step('cp', '--archive', `/dev/${device}`, path.join(root, 'dev', device))
  }
  for (const name of ['data', 'tmp', 'dev/shm']) {
    mkdirSync(path.join(root, name), { recursive: true })
    chownSync(path.join(root, name), USER, USER)
  }

  const proc = path.join(root, 'proc')
  mkdirSync(proc, { recursive: true })
  step('mount', '-t', 'proc', 'proc', proc)

  const [port, command] = [await freePort(), commandOf(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'))]
  const settings = { PATH: '/usr/bin', HOST: '127.0.0.1', PORT: String(port), DATA_DIR: '/data' }
  const inside = `cd /app && exec ${command.join(' ')}`
  const args = [`--userspec=${USER}:${USER}`, root, '/bin/sh', '-c', inside]
  const image = spawn('/usr/sbin/chroot', args, {
    env: { ...settings, NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  for (const stream of [image.stdout, image.stderr]) stream.on('data', (text) => said.push(String(text)))
  const url = `http://127.0.0.1:${port}`
  const ready = async () => {
    while (
      !(await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      assert.equal(image.exitCode, null, said.join(''))
      await delay(50)
    }
  }
  try {
    await ready()
    const { user, id } = await walkJourney({ url })
    const server = serverOf(root, image.pid)
    process.kill(server, 'SIGSEGV')
    while (existsSync(`/proc/${server}`)) await delay(10)
    const endedAt = performance.now()
    await ready()
    const seconds = (performance.now() - endedAt) / 1_000
    assert.match(said.join(''), /is started again/)
    assert.ok(seconds < 2 * SLACK, `ready again after ${seconds.toFixed(1)} s`)
    assert.equal((await user.call('GET', `/videos/tasks/${id}`)).status, 200)
    return `restarted in ${seconds.toFixed(1)} s`
  } finally {
    await stop(image)
    step('umount', proc)
    rmSync(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Returns the command that a container runs. */
const commandOf = (dockerfile: string): string[] => JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')

/** Returns the id of the process that runs `dist/main.js` in a root. */
function serverOf(root: string, supervisor: number | undefined): number {
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const isInside = readlinkSync(`/proc/${name}/root`) === root
      const text = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      if (isInside && Number(name) !== supervisor && /main\.js/.test(text) && !/supervise/.test(text))
        return Number(name)
    } catch {
      // It has ended.
    }
  }
  throw new Error('the server is not among the processes')
}
