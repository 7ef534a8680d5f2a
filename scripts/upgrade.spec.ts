import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = path.join(import.meta.dirname, 'upgrade.sh')
const CANARY = path.join(import.meta.dirname, 'upgradeCanary.mjs')
const DOUBLE = path.join(import.meta.dirname, 'testing/dockerDouble.mjs')
const FULL = { projections: 1, workers: 2, api: 2 }
const ONE_OF_EACH = { projections: 1, workers: 1, api: 1 }
const ROLLBACK = 'KINORA_IMAGE=kinora:before-upgrade sh scripts/upgrade.sh --as-is'

interface State {
  containers: { id: string; service: string; image?: string }[]
  faults: string[]
  images: Record<string, string>
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-upgrade-'))
  writeFileSync(path.join(folder, 'docker'), `#!/bin/sh\nexec '${process.execPath}' '${DOUBLE}' "$@"\n`)
  // The script waits only for containers, which the double starts immediately.
  writeFileSync(path.join(folder, 'sleep'), '#!/bin/sh\n')
  for (const name of ['docker', 'sleep']) chmodSync(path.join(folder, name), 0o755)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the script against the double of docker, on processes of an old image. */
function upgrade({ args = [] as string[], env = {}, replicas = ONE_OF_EACH as Record<string, number>, ...faults }) {
  const file = path.join(folder, 'state.json')
  const containers = Object.entries(replicas).flatMap(([service, count]) =>
    Array.from({ length: count }, (_, n) => ({
      id: `${service}-old${n}`,
      service,
      image: 'sha256:old',
      up: true,
      restarts: 0,
    })),
  )
  const images = { 'kinora:local': 'sha256:old', 'kinora:before-upgrade': 'sha256:older' }
  writeFileSync(file, JSON.stringify({ containers, images, replicas, made: 0, stops: 0, faults: [], ...faults }))
  const run = spawnSync('sh', [SCRIPT, ...args], {
    env: { PATH: `${folder}:${process.env.PATH}`, DOCKER_DOUBLE: file, ...env },
    encoding: 'utf8',
  })
  const state = JSON.parse(readFileSync(file, 'utf8')) as State
  const imagesOf = (service: string) =>
    state.containers.filter((one) => one.service === service).map(({ image }) => image)
  return { ...run, state, imagesOf, log: readFileSync(`${file}.log`, 'utf8').split('\n') }
}

const indexOf = (log: string[], form: RegExp) => log.findIndex((line) => form.test(line))

describe('upgrade.sh, with a double of docker', () => {
  it('backs up with the old image, then builds, then replaces the processes', () => {
    const { status, stderr, log } = upgrade({})
    expect([status, stderr]).toEqual([0, ''])
    const steps = [
      /^tag sha256:old /,
      / ops backup --out \/backups\/before-upgrade-\d+T\d+Z$/,
      / build api$/,
      / run --detach /,
      / up /,
    ]
    const order = steps.map((step) => indexOf(log, step))
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it.each([{ kinora: 1 }, FULL])('replaces every process of %j without ever having fewer', (replicas) => {
    const { stdout, state, imagesOf } = upgrade({ replicas })
    expect(stdout).toContain('0 of 9 calls failed')
    expect(state.faults).toEqual([])
    for (const [service, count] of Object.entries(replicas))
      expect(imagesOf(service)).toEqual(Array.from({ length: count }, () => 'sha256:new'))
    expect(imagesOf('canary')).toEqual([])
  })

  it('stops at the first failed call, leaves the other processes, and prints how to roll back', () => {
    const { status, stderr, imagesOf } = upgrade({ failsAt: 2 })
    expect(status).toBe(1)
    expect(stderr).toContain('1 of 9 calls failed: GET /: status 502')
    expect(stderr).toContain(ROLLBACK)
    expect(imagesOf('projections')).toEqual(['sha256:new'])
    expect(imagesOf('api')).toEqual(['sha256:old'])
  })

  it('removes a new process that does not become healthy, and keeps the previous ones', () => {
    const { status, stderr, imagesOf } = upgrade({ crashes: true })
    expect(status).toBe(1)
    expect(stderr).toContain('the new process of projections did not become healthy')
    expect(stderr).toContain(ROLLBACK)
    expect(imagesOf('projections')).toEqual(['sha256:old'])
  })

  it('leaves no canary behind when its terminal is closed', () => {
    writeFileSync(path.join(folder, 'sleep'), '#!/bin/sh\nkill -HUP $PPID\n')
    const { status, imagesOf } = upgrade({})
    expect(status).toBe(130)
    expect(imagesOf('canary')).toEqual([])
  })

  it('removes the canary of an upgrade that was killed, but not that of another installation', () => {
    const left = { service: 'canary', up: true, image: 'sha256:old' }
    const containers = [
      { id: 'first', service: 'kinora', image: 'sha256:old', up: true, restarts: 0 },
      { ...left, id: 'kinora-canary-1' },
      { ...left, id: 'kinora-canary-2', project: 'other' },
    ]
    const { status, state } = upgrade({ replicas: { kinora: 1 }, containers })
    expect(status).toBe(0)
    expect(state.containers.map(({ id }) => id).toSorted()).toEqual(['kinora-1', 'kinora-canary-2'])
  })

  it('changes nothing without a backup', () => {
    const { status, log } = upgrade({ backupFails: true })
    expect(status).toBe(1)
    expect(log.filter((line) => /compose (build|up|pull)/.test(line))).toEqual([])
  })

  it('rolls back to the image from before the upgrade, without building or backing up', () => {
    const { status, state, log, imagesOf } = upgrade({
      args: ['--as-is'],
      env: { KINORA_IMAGE: 'kinora:before-upgrade' },
    })
    expect(status).toBe(0)
    expect(imagesOf('api')).toEqual(['sha256:older'])
    expect(state.images['kinora:before-upgrade']).toBe('sha256:older')
    expect(log.filter((line) => / (build|pull|backup) /.test(line))).toEqual([])
  })

  it('rolls back to the image from before an upgrade that stopped and was started again', () => {
    const made = { up: true, restarts: 0 }
    const replaced = { ...made, image: 'sha256:new', created: '2026-01-02' }
    const containers = [
      { ...replaced, id: 'first', service: 'kinora' },
      { ...made, id: 'second', service: 'kinora', image: 'sha256:old', created: '2026-01-01' },
      { ...replaced, id: 'third', service: 'kinora' },
    ]
    const { state } = upgrade({ replicas: { kinora: 3 }, containers })
    expect(state.images['kinora:before-upgrade']).toBe('sha256:old')
  })

  it('starts no process that an interrupted upgrade stopped, and keeps the image to roll back to', () => {
    const containers = [
      { id: 'first', service: 'kinora', image: 'sha256:old', up: false, restarts: 0, created: '2026-01-01' },
      { id: 'second', service: 'kinora', image: 'sha256:new', up: true, restarts: 0, created: '2026-01-02' },
    ]
    const { status, state, imagesOf } = upgrade({ replicas: { kinora: 1 }, containers })
    expect([status, state.faults]).toEqual([0, []])
    expect(imagesOf('kinora')).toEqual(['sha256:new'])
    expect(state.images['kinora:before-upgrade']).toBe('sha256:old')
  })

  it('removes the new process when it is interrupted before it stops the old one', () => {
    const mark = path.join(folder, 'canary-waited')
    writeFileSync(path.join(folder, 'sleep'), `#!/bin/sh\n[ ! -e '${mark}' ] || kill -HUP $PPID\ntouch '${mark}'\n`)
    const { status, imagesOf } = upgrade({})
    expect([status, imagesOf('projections')]).toEqual([130, ['sha256:old']])
  })

  it('stops if a new process has another image than the one to upgrade to', () => {
    const { status, stderr, imagesOf } = upgrade({ startsImage: 'sha256:other' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('the new process of projections has another image')])
    expect(imagesOf('projections')).toEqual(['sha256:old'])
  })

  it('keeps the number of processes that `--scale` set', () => {
    const image = 'sha256:old'
    const scaled = ['first', 'second'].map((id) => ({ id, service: 'kinora', image, up: true, restarts: 0 }))
    const { status, imagesOf } = upgrade({ replicas: { kinora: 1 }, containers: scaled })
    expect([status, imagesOf('kinora')]).toEqual([0, ['sha256:new', 'sha256:new']])
  })

  it('does not build or pull over the image to roll back to', () => {
    const { status, stderr, state, log } = upgrade({ env: { KINORA_IMAGE: 'kinora:before-upgrade' } })
    expect([status, stderr]).toEqual([1, expect.stringContaining('Remove KINORA_IMAGE from .env')])
    expect(state.images['kinora:before-upgrade']).toBe('sha256:older')
    expect(log.filter((line) => / (build|pull|backup|up) /.test(line))).toEqual([])
  })

  it('pulls a named image instead of building', () => {
    const { log, imagesOf } = upgrade({ args: ['--pull'], env: { KINORA_IMAGE: 'registry/kinora:2' } })
    expect(imagesOf('api')).toEqual(['sha256:new'])
    expect(indexOf(log, / build /)).toBe(-1)
  })

  it('refuses unknown options and prints its usage', () => {
    const { status, stderr } = spawnSync('sh', [SCRIPT, '--now'], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, expect.stringContaining('sh scripts/upgrade.sh --pull')])
  })
})

describe('the canary of upgrades', () => {
  const watch = (answers: number[]) =>
    new Promise<{ code: number; text: string }>((resolve) => {
      let calls = 0
      const server = createServer((_, answer) => {
        answer.writeHead(answers.shift() ?? 200).end()
        if (++calls === 4) child.kill('SIGTERM')
      })
      let child: ReturnType<typeof spawn>
      server.listen(0, '127.0.0.1', async () => {
        const { port } = server.address() as AddressInfo
        const source = execFileSync('cat', [CANARY], { encoding: 'utf8' })
        const env = { ENTRY_HOST: '127.0.0.1', SITE_ADDRESS: `:${port}` }
        child = spawn(process.execPath, ['--input-type=module', '--eval', source], { env })
        const text: string[] = []
        child.stdout!.on('data', (part) => text.push(String(part)))
        const [code] = (await once(child, 'close')) as [number]
        server.closeAllConnections()
        server.close()
        resolve({ code, text: text.join('') })
      })
    })

  it('counts its calls until it is stopped, and takes refusals for answers', async () => {
    const { code, text } = await watch([200, 401, 404])
    expect([code, text]).toEqual([0, expect.stringMatching(/^0 of [3-5] calls failed\n$/)])
  })

  it('ends at the first call that fails', async () => {
    const { code, text } = await watch([200, 502])
    // A slow machine has begun the next call before the answer arrives.
    const failed = expect.stringMatching(/^1 of [2-4] calls failed: GET \/api\/v1\/status: status 502\n$/)
    expect([code, text]).toEqual([1, failed])
  })
})
