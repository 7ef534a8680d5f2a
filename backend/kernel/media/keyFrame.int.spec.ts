import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findFfmpeg, runFfmpeg } from './ffmpeg.ts'
import { readKeyFrame } from './keyFrame.ts'
import { probeMp4, UnplayableVideoError } from './probeMp4.ts'

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=duration=4:size=128x72:rate=24']
const SOUND = ['-f', 'lavfi', '-i', 'sine=duration=4']
/** Key frames at each second, and frames out of order. */
const H264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-g', '24', '-sc_threshold', '0', '-bf', '3']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kinora-key-frame-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function make(...args: string[]): Promise<string> {
  const file = path.join(folder, 'film.mp4')
  await runFfmpeg([...args, file])
  return file
}

/** Returns the hashes of all decoded frames. */
async function framesOf(file: string): Promise<string[]> {
  const args = ['-v', 'error', '-i', file, '-map', '0:v', '-f', 'framemd5', '-']
  const { stdout } = await promisify(execFile)(await findFfmpeg(), args)
  return stdout.split('\n').flatMap((line) => (/^\d/.test(line) ? line.split(',').at(-1)!.trim() : []))
}

it.each([
  ['a film', [...PICTURE, ...H264]],
  ['a film with sound, whose frames are in many chunks', [...PICTURE, ...SOUND, ...H264, '-c:a', 'aac']],
  ['a turned film', [...PICTURE, ...H264, '-metadata:s:v', 'rotate=90']],
  ['a film of key frames only', [...PICTURE, ...H264.with(-5, '1')]],
])('returns the key frame before a time from %s', async (_, args) => {
  const film = await make(...args)
  const frames = await framesOf(film)
  const { width, height } = await probeMp4(film)
  const interval = args.includes('1') ? 1 : 24
  for (const at of [0, 0.9, 1.9, 2.9, 99]) {
    const single = path.join(folder, 'single.mp4')
    await writeFile(single, (await readKeyFrame(film, at))!)
    const wanted = Math.floor(Math.min(at * 24, frames.length - 1) / interval) * interval
    expect(await framesOf(single), `${at} s`).toEqual([frames[wanted]])
    expect(await probeMp4(single)).toMatchObject({ width, height, frames: 1 })
  }
})

it.each([
  ['stco', 4],
  ['stts', 8],
  ['stsz', 4],
])('returns none, and hardly computes, for billions of entries in %s', async (name, at) => {
  const film = await make(...PICTURE, ...H264)
  const hostile = await readFile(film)
  const table = hostile.indexOf(name) + 4
  hostile.writeUInt32BE(0xffffffff, table + at)
  // No sample is in a chunk.
  if (name === 'stco') hostile.writeUInt32BE(0, hostile.indexOf('stsc') + 16)
  // Every sample is a key frame.
  if (name === 'stts') hostile.write('free', hostile.indexOf('stss'))
  await writeFile(film, hostile)
  expect(await readKeyFrame(film, name === 'stts' ? 1e6 : 1)).toBeUndefined()
})

it('returns none from a fragmented film, and refuses one that is damaged', async () => {
  const fragmented = await make(...PICTURE, ...H264, '-movflags', '+empty_moov+default_base_moof+frag_keyframe')
  expect(await readKeyFrame(fragmented, 1)).toBeUndefined()
  const film = await make(...PICTURE, ...H264)
  const damaged = await readFile(film)
  damaged.fill(0xff, damaged.indexOf('stsc') + 8, damaged.indexOf('stsc') + 12)
  await writeFile(film, damaged)
  await expect(readKeyFrame(film, 1)).rejects.toThrow(UnplayableVideoError)
})
