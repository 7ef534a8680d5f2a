import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFfmpeg, runFfmpeg } from './ffmpeg.ts'
import { FFMPEGS } from './testing/ffmpegs.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-ffmpeg-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Creates a program that answers like an ffmpeg of a version. Returns its folder. */
function fakeFfmpeg(version: string, encoders = 'libx264 libwebp'): string {
  const home = mkdtempSync(path.join(folder, 'bin-'))
  const script = `#!/bin/sh\ncase "$1" in -version) echo "ffmpeg version ${version} Copyright";; *) echo " ${encoders} ";; esac\n`
  writeFileSync(path.join(home, 'ffmpeg'), script, { mode: 0o755 })
  return home
}

describe('finding ffmpeg', () => {
  const original = process.env.PATH
  afterAll(() => {
    process.env.PATH = original
  })

  it.each([
    ['4.1', false],
    ['5.1.9-0+deb12u1', true],
    ['n7.1', true],
    ['N-118000-gabcdef', true],
  ])('%s on PATH: preferred to the packaged one is %s', async (version, isUsed) => {
    process.env.PATH = `${fakeFfmpeg(version)}:/usr/bin:/bin`
    // The result is cached per explicit path, so each case asks for another one that does not exist.
    expect((await findFfmpeg(`/nowhere/${version}`)) === 'ffmpeg').toBe(isUsed)
    process.env.PATH = original
  })

  it('ignores an ffmpeg that cannot write WebP, the format of posters', async () => {
    process.env.PATH = `${fakeFfmpeg('7.1', 'libx264')}:/usr/bin:/bin`
    expect(await findFfmpeg('/nowhere/webp')).not.toBe('ffmpeg')
    process.env.PATH = original
  })
})

describe.each(FFMPEGS)('%s', (_version, ffmpegPath) => {
  it('opens no address', async () => {
    let requests = 0
    const server = createServer((_, answer) => {
      requests++
      answer.end()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const out = path.join(folder, 'out.mp4')
    await expect(runFfmpeg(['-i', `http://127.0.0.1:${port}/a.mp4`, out], { ffmpegPath })).rejects.toThrow(/whitelist/)
    expect(requests).toBe(0)
    server.close()
  })

  it('fails when the disk is full at the end of the file, although some versions exit with 0', async () => {
    const program = path.join(folder, 'full')
    const answers = `case "$*" in *-encoders) echo ' libx264  libwebp ';; *) echo 'Error writing trailer of a.mp4: No space left' >&2;; esac`
    writeFileSync(program, `#!/bin/sh\n${answers}\n`, { mode: 0o755 })
    await expect(runFfmpeg(['a.mp4'], { ffmpegPath: program })).rejects.toThrow('No space left')
  })

  const endless = (out: string) => ['-f', 'lavfi', '-i', 'testsrc2=size=640x360', '-c:v', 'mpeg4', '-q:v', '1', out]

  it('ends when its output exceeds the limit', async () => {
    const out = path.join(folder, 'large.avi')
    await expect(
      runFfmpeg(endless(out), { ffmpegPath, limits: { cpuSeconds: 30, fileBytes: 512_000 } }),
    ).rejects.toThrow('ended with')
    expect(statSync(out).size).toBeLessThanOrEqual(512_000)
  })

  it('ends when its CPU time exceeds the limit', async () => {
    const none = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360', '-f', 'null', '-']
    await expect(runFfmpeg(none, { ffmpegPath, limits: { cpuSeconds: 1 } })).rejects.toThrow(
      /ended with SIG(KILL|XCPU)/,
    )
  })

  // macOS has no such limit.
  it.skipIf(process.platform !== 'linux')('ends when its memory exceeds the limit', async () => {
    const large = ['-f', 'lavfi', '-i', 'color=size=8000x8000', '-frames:v', '3', '-c:v', 'libx264', '-f', 'null', '-']
    const limits = { cpuSeconds: 30, memoryBytes: 300 * 2 ** 20, idleSeconds: 2 }
    // Some releases fail, and others wait for ever.
    await expect(runFfmpeg(large, { ffmpegPath, limits })).rejects.toThrow(/malloc|allocate|no progress/)
  })
})
