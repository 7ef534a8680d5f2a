import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Program, startProgram } from '../../testing/program.ts'
import { GENERATION, registerUser, type TestUser } from '../../testing/testUser.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-disk-'))
const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'kinora-disk', folder])
const lacks = status === 0 ? '' : ' (no right to mount a small disk here)'

describe.skipIf(lacks)(`a process with a full disk${lacks}`, () => {
  let program: Program
  let user: TestUser
  beforeAll(async () => {
    program = await startProgram({ DATA_DIR: path.join(folder, 'data'), PORT: '0', LOG_LEVEL: 'silent' })
    user = await registerUser(program.url)
  })
  afterAll(() => program?.stop())
  const filler = path.join(folder, 'filler')
  const order = async () => (await user.call('POST', '/videos/generate', GENERATION)).status
  const ready = async () => {
    const answer = await fetch(`${program.url}/readyz`)
    return [answer.status, ((await answer.json()) as { status: string }).status]
  }

  it('is not ready and takes no orders, serves reads, and goes on when there is room', async () => {
    expect(await ready()).toEqual([200, 'ready'])
    expect(() => {
      for (;;) writeFileSync(filler, Buffer.alloc(2 ** 20), { flag: 'a' })
    }).toThrow('ENOSPC')
    expect(statfsSync(folder).bavail).toBe(0)
    await expect.poll(ready).toEqual([503, 'unavailable'])
    expect(await order()).toBe(503)
    expect((await user.call('GET', '/videos/tasks')).status).toBe(200)
    rmSync(filler)
    await expect.poll(ready).toEqual([200, 'ready'])
    expect(await order()).toBe(202)
  })
})

afterAll(() => {
  if (status === 0) spawnSync('umount', ['--lazy', folder])
  rmdirSync(folder)
})
