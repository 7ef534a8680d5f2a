import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { h264Arguments, runFfmpeg } from './ffmpeg.ts'
import { joinVideos } from './joinVideos.ts'
import { makePoster } from './poster.ts'
import { hasSound, probeMp4 } from './probeMp4.ts'
import { FFMPEGS } from './testing/ffmpegs.ts'
import { type Area, meanOf, pixelsOf } from './testing/stills.ts'

/** A part of the middle of a film of 320 × 180 pixels. */
const MIDDLE: Area = [140, 70, 40, 40]

describe.each(FFMPEGS)('with %s', (_version, ffmpegPath) => {
  let folder = ''
  const at = (name: string) => path.join(folder, name)

  /** Makes a film of one grey, with a tone if it has sound. */
  async function film(name: string, grey: string, size: string, fps: number, { sound = false, seconds = 2 } = {}) {
    const picture = ['-f', 'lavfi', '-i', `color=0x${grey.repeat(3)}:s=${size}:r=${fps}:d=${seconds}`]
    const tone = sound ? ['-f', 'lavfi', '-i', `sine=f=440:r=44100:d=${seconds}`, '-c:a', 'aac'] : []
    await runFfmpeg([...picture, ...tone, ...h264Arguments({ fps }), at(name)], { ffmpegPath })
  }
  /** Returns the brightness of the middle of the joined film at a time. */
  async function greyAt(seconds: number, area = MIDDLE) {
    await makePoster(at('out.mp4'), at('still.jpg'), { at: seconds, width: 320, ffmpegPath })
    return meanOf(await pixelsOf(at('still.jpg')), area)
  }
  const join = async (names: readonly string[], fade: number, more = {}) =>
    joinVideos(
      names.map((name) => ({ file: at(name), start: 0, end: 2, ...more })),
      at('out.mp4'),
      { fade, temporaryDir: folder, ffmpegPath },
    )

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kinora-join-'))
    await film('dark.mp4', '40', '320x180', 24)
    await film('light.mp4', 'c0', '320x180', 24)
    await film('tall.mp4', 'c0', '180x320', 30, { sound: true })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('puts parts behind each other, frame by frame', async () => {
    await join(['dark.mp4', 'light.mp4', 'dark.mp4'], 0, { start: 0.5, end: 1.5 })
    const { width, height, fps, frames, faststart } = await probeMp4(at('out.mp4'))
    expect({ width, height, fps, frames, faststart }).toEqual({
      width: 320,
      height: 180,
      fps: 24,
      frames: 72,
      faststart: true,
    })
    expect(await hasSound(at('out.mp4'))).toBe(false)
    expect(await greyAt(0.9)).toBeLessThan(80)
    expect(await greyAt(1.1)).toBeGreaterThan(170)
    expect(await greyAt(2.1)).toBeLessThan(80)
  })

  it('dissolves one clip into the next, which makes the film shorter', async () => {
    await join(['dark.mp4', 'light.mp4'], 1)
    expect(await probeMp4(at('out.mp4'))).toMatchObject({ frames: 72, duration: 3 })
    expect(await greyAt(0.9)).toBeLessThan(80)
    expect(await greyAt(1.5)).toBeGreaterThan(105)
    expect(await greyAt(1.5)).toBeLessThan(150)
    expect(await greyAt(2.1)).toBeGreaterThan(170)
  })

  it('fits other shapes and rates between black bars, and fills silent clips with silence', async () => {
    await join(['dark.mp4', 'tall.mp4'], 0.5)
    expect(await probeMp4(at('out.mp4'))).toMatchObject({ width: 320, height: 180, fps: 30, frames: 105 })
    expect(await hasSound(at('out.mp4'))).toBe(true)
    expect(await greyAt(3)).toBeGreaterThan(170)
    expect(await greyAt(3, [10, 70, 40, 40])).toBeLessThan(30)
  })

  it('shortens a fade that a clip has no room for, and leaves nothing in its folder', async () => {
    await joinVideos(
      [
        { file: at('dark.mp4'), start: 0, end: 0.5 },
        { file: at('light.mp4'), start: 0, end: 2 },
      ],
      at('out.mp4'),
      { fade: 2, temporaryDir: folder, ffmpegPath },
    )
    expect(await probeMp4(at('out.mp4'))).toMatchObject({ frames: 54 })
    expect((await readdir(folder)).filter((name) => name.startsWith('join-'))).toEqual([])
  })

  it('stops when it is aborted', async () => {
    const stopped = new AbortController()
    const joining = joinVideos(
      [1, 2, 3].map(() => ({ file: at('dark.mp4'), start: 0, end: 2 })),
      at('never.mp4'),
      { fade: 0, temporaryDir: folder, ffmpegPath, signal: stopped.signal, onProgress: () => stopped.abort() },
    )
    await expect(joining).rejects.toThrow()
    expect((await readdir(folder)).filter((name) => /^(join-|never)/.test(name))).toEqual([])
  })
})
