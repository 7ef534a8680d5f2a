import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ImageTimeout, normaliseInChild } from './normaliseInChild.ts'

const picture = createCanvas(640, 360).toBuffer('image/png')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-child-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns a program that a child runs in place of the decoder. */
function programOf(code: string): string {
  const file = path.join(folder, `${crypto.randomUUID()}.mjs`)
  writeFileSync(file, code)
  return file
}

describe('normalising in a child process', () => {
  it('returns a JPEG', async () => {
    expect((await normaliseInChild(picture)).subarray(0, 2).toString('hex')).toBe('ffd8')
  })
  it('reports the code of an image that the decoder rejects', async () => {
    await expect(normaliseInChild(picture.subarray(0, -1))).rejects.toMatchObject({ code: 'image_damaged' })
  })
  it('ends a decoder that exceeds its CPU time, and does not call the image damaged', async () => {
    const endless = normaliseInChild(picture, { program: programOf('for (;;) {}'), cpuSeconds: 1 })
    await expect(endless).rejects.toThrow(ImageTimeout)
  })
  it('calls an image damaged whose decoder crashes', async () => {
    const program = programOf('process.kill(process.pid, "SIGSEGV")')
    await expect(normaliseInChild(picture, { program })).rejects.toMatchObject({ code: 'image_damaged' })
  })
  it('leaves the CPU to requests of others if it is scarce', async () => {
    const program = programOf('import os from "node:os"; process.stdout.write(String(os.getPriority()))')
    expect(Number(await normaliseInChild(picture, { program }))).toBeGreaterThan(os.getPriority())
  })
  it.skipIf(process.platform !== 'linux')('keeps other cores free', async () => {
    // Node starts at least one worker of V8, which the decoder does not use.
    const code = `import { randomBytes } from "node:crypto"; import fs from "node:fs"
      await Promise.all(Array.from({ length: 4 }, () => new Promise((done) => randomBytes(1e6, done))))
      const threads = fs.readdirSync("/proc/self/task").map((id) => fs.readFileSync("/proc/self/task/" + id + "/comm", "utf8"))
      process.stdout.write(threads.filter((name) => /^(V8Worker|libuv-worker)/.test(name)).join(""))`
    expect(String(await normaliseInChild(picture, { program: programOf(code) }))).toBe('V8Worker\nlibuv-worker\n')
  })
  it('ends the decoder when its caller is gone', async () => {
    const caller = new AbortController()
    const started = path.join(folder, 'started')
    const program = programOf(`import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(started)}, ""); for (;;) {}`)
    const endless = normaliseInChild(picture, { program, signal: caller.signal })
    void expect
      .poll(() => existsSync(started))
      .toBe(true)
      .finally(() => caller.abort(new Error('gone')))
    await expect(endless).rejects.toThrow('gone')
  })
})
