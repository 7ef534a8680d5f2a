import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadImage } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFfmpeg, runFfmpeg } from './ffmpeg.ts'
import { inspectImage } from './firstFrame.ts'
import { FrameEncoder } from './frameEncoder.ts'
import { readLastFrame } from './lastFrame.ts'
import { makePoster } from './poster.ts'
import { probeMp4 } from './probeMp4.ts'
import { stampVideo } from './stampVideo.ts'
import { FFMPEGS } from './testing/ffmpegs.ts'
import { type Area, meanDifference, meanOf, pixelsOf, type Still } from './testing/stills.ts'

const FRAMES = 36

describe('findFfmpeg', () => {
  it('skips a program that is not ffmpeg', async () => {
    expect(await findFfmpeg('/bin/true')).not.toBe('/bin/true')
  })
})

describe.each(FFMPEGS)('with %s', (_version, ffmpegPath) => {
  let folder = ''
  let video = ''

  /** A grey frame, brighter with every index. */
  async function encode(out: string, frames: number, signal?: AbortSignal): Promise<void> {
    const encoder = await FrameEncoder.open({ out, width: 640, height: 360, fps: 24, signal, ffmpegPath })
    try {
      for (let frame = 0; frame < frames; frame++) await encoder.write(Buffer.alloc(640 * 360 * 4, 60 + frame * 3))
      await encoder.finish()
    } catch (error) {
      await encoder.abort()
      throw error
    }
  }

  async function pixelsAt(path: string, at: number): Promise<Still> {
    const still = join(folder, 'still.jpg')
    await makePoster(path, still, { at, width: 640, ffmpegPath })
    return pixelsOf(still)
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kinora-media-'))
    video = join(folder, 'video.mp4')
    await encode(video, FRAMES)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  describe('FrameEncoder', () => {
    it('keeps the brightness of the frames', async () => {
      const first = await pixelsAt(video, 0)
      expect(meanOf(first, [100, 100, 50, 50])).toBeGreaterThan(56)
      expect(meanOf(first, [100, 100, 50, 50])).toBeLessThan(64)
    })

    it('removes its file when aborted', async () => {
      const stop = new AbortController()
      const encoding = encode(join(folder, 'aborted.mp4'), 5000, stop.signal)
      const files = async () => (await readdir(folder)).filter((name) => name.startsWith('aborted'))
      void expect
        .poll(files)
        .toHaveLength(1)
        .finally(() => stop.abort(new Error('enough')))
      await expect(encoding).rejects.toThrow()
      expect(await files()).toEqual([])
    })
  })

  describe('runFfmpeg', () => {
    it('includes the error output of ffmpeg', async () => {
      await expect(runFfmpeg(['-i', join(folder, 'missing.mp4'), '-f', 'null', '-'], { ffmpegPath })).rejects.toThrow(
        /No such file/,
      )
    })

    it('rejects with the reason of the signal', async () => {
      const target = join(folder, 'endless.nut')
      const endless = ['-f', 'lavfi', '-re', '-i', 'testsrc', '-f', 'nut', target]
      const reason = new Error('changed my mind')
      const stop = new AbortController()
      void expect
        .poll(() => existsSync(target))
        .toBe(true)
        .finally(() => stop.abort(reason))
      await expect(runFfmpeg(endless, { signal: stop.signal, ffmpegPath })).rejects.toBe(reason)
    })
  })

  describe('probeMp4', () => {
    it('reads the properties of an encoded video', async () => {
      const { size, ...info } = await probeMp4(video)
      expect(info).toEqual({
        width: 640,
        height: 360,
        frames: FRAMES,
        fps: 24,
        duration: FRAMES / 24,
        codec: 'avc1',
        faststart: true,
      })
      expect(size).toBe((await readFile(video)).length)
    })

    it('detects an index after the data', async () => {
      const late = join(folder, 'late.mp4')
      await runFfmpeg(['-i', video, '-c', 'copy', '-f', 'mp4', late], { ffmpegPath })
      expect(await probeMp4(late)).toMatchObject({ faststart: false, frames: FRAMES })
    })

    it.each([0, 65_000, 65_490, 200_000])('finds an index behind a box of %d bytes', async (length) => {
      const whole = await readFile(video)
      const index = whole.readUInt32BE(0)
      const free = Buffer.alloc(8 + length)
      free.writeUInt32BE(free.length, 0)
      free.write('free', 4)
      const path = join(folder, 'free.mp4')
      await writeFile(path, Buffer.concat([whole.subarray(0, index), free, whole.subarray(index)]))
      expect(await probeMp4(path)).toMatchObject({ frames: FRAMES, faststart: true })
    })

    it('rejects a file cut at any point', async () => {
      const whole = await readFile(video)
      const cut = join(folder, 'cut.mp4')
      for (const share of [0.01, 0.1, 0.3, 0.5, 0.9, 0.999]) {
        await writeFile(cut, whole.subarray(0, Math.floor(whole.length * share)))
        await expect(probeMp4(cut), `${share} of the file`).rejects.toThrow()
      }
    })

    it.each([
      ['an empty file', Buffer.alloc(0)],
      ['text', Buffer.from('this is no video, but it is long enough to be read as one')],
      ['zeros', Buffer.alloc(4096)],
      ['a box longer than the file', Buffer.from('ffffffff66747970', 'hex')],
    ])('rejects %s', async (_name, bytes) => {
      const path = join(folder, 'garbage.mp4')
      await writeFile(path, bytes)
      await expect(probeMp4(path)).rejects.toThrow()
    })

    it('survives damaged index bytes without hanging', async () => {
      const whole = await readFile(video)
      const path = join(folder, 'damaged.mp4')
      for (let at = 40; at < 700; at += 13) {
        const damaged = Buffer.from(whole)
        damaged.fill(0xff, at, at + 4)
        await writeFile(path, damaged)
        await probeMp4(path).catch((error: unknown) => expect(error).toBeInstanceOf(Error))
      }
    })
  })

  describe('makePoster', () => {
    it.each(['poster.jpg', 'poster.webp'])('writes %s with the given width', async (name) => {
      const out = join(folder, name)
      await makePoster(video, out, { at: 0.5, width: 320, ffmpegPath })
      const image = await loadImage(out)
      expect([image.width, image.height]).toEqual([320, 180])
      const bytes = await readFile(out)
      if (name.endsWith('.jpg')) expect(() => inspectImage(bytes)).toThrow(/shorter side/)
      else expect(bytes.toString('latin1', 8, 12)).toBe('WEBP')
    })

    it('takes the key frame before the time where that will do', async () => {
      const source = 'testsrc=duration=3:size=640x360:rate=24'
      const [out, nearby, first] = ['bars.mp4', 'nearby.jpg', 'first.jpg'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ]
      // Key frames at 0 and 2 seconds.
      const encoding = ['-pix_fmt', 'yuv420p', '-g', '48', '-sc_threshold', '0']
      await runFfmpeg(['-f', 'lavfi', '-i', source, ...encoding, out], { ffmpegPath })
      for (const [at, same] of [
        [1.8, 0],
        [2.8, 2],
      ] as const) {
        await makePoster(out, nearby, { at, nearby: true, ffmpegPath })
        await makePoster(out, first, { at: same, ffmpegPath })
        expect(meanDifference(await pixelsOf(nearby), await pixelsOf(first), [0, 0, 640, 360]), `${at} s`).toBeLessThan(
          1,
        )
      }
    })

    it('takes the same pictures from several films at the same time', async () => {
      const [damaged, alone] = [join(folder, 'damaged.mp4'), join(folder, 'alone.jpg')]
      const bytes = await readFile(video)
      await writeFile(damaged, bytes.fill(0, bytes.indexOf('mdat') + 4))
      const films = [video, video, damaged, video].map((film, n) => [film, join(folder, `together${n}.jpg`)] as const)
      const made = await Promise.allSettled(
        films.map(([film, out]) => makePoster(film, out, { at: 0.5, width: 320, nearby: true, ffmpegPath })),
      )
      expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
      await makePoster(video, alone, { at: 0.5, width: 320, nearby: true, ffmpegPath })
      for (const n of [0, 1, 3]) expect(await readFile(films[n]![1])).toEqual(await readFile(alone))
    })

    it('does not take a key frame of one colour, with which a film may begin', async () => {
      const source = 'testsrc=duration=2:size=640x360:rate=24,fade=in:st=0:d=1'
      const [out, still] = [join(folder, 'fading.mp4'), join(folder, 'fading.jpg')]
      await runFfmpeg(['-f', 'lavfi', '-i', source, '-pix_fmt', 'yuv420p', out], { ffmpegPath })
      await makePoster(out, still, { at: 1.5, nearby: true, ffmpegPath })
      expect(meanDifference(await pixelsOf(still), await pixelsAt(out, 1.5), [0, 0, 640, 360])).toBeLessThan(1)
    })

    it('uses the last frames for a time after the end', async () => {
      expect(meanOf(await pixelsAt(video, 99), [100, 100, 50, 50])).toBeGreaterThan(150)
    })
  })

  describe('readLastFrame', () => {
    it('returns the last picture of a video whose sound is longer', async () => {
      const out = join(folder, 'sound.mp4')
      const sound = ['-f', 'lavfi', '-i', 'sine=duration=4', '-c:a', 'aac']
      await runFfmpeg(['-i', video, ...sound, '-c:v', 'copy', out], { ffmpegPath })
      expect(await readLastFrame(out, folder, 'KINORA', { ffmpegPath })).toEqual(
        await readLastFrame(video, folder, 'KINORA', { ffmpegPath }),
      )
    })

    it('returns the same picture with a watermark in its lower right corner', async () => {
      const { frame, watermarked } = await readLastFrame(video, folder, 'KINORA', { ffmpegPath })
      const [plain, marked] = await Promise.all([frame, watermarked].map(pixelsOf))
      expect(meanDifference(plain!, marked!, [540, 330, 90, 20])).toBeGreaterThan(15)
      expect(meanDifference(plain!, marked!, [0, 0, 400, 300])).toBeLessThan(2)
    })
  })

  describe('stampVideo', () => {
    it('marks the lower right corner and keeps the rest of every frame', async () => {
      const out = join(folder, 'marked.mp4')
      const progress: number[] = []
      await stampVideo(
        video,
        out,
        { watermark: 'KINORA' },
        { onProgress: (percent) => progress.push(percent), ffmpegPath },
      )
      const { size: _size, ...before } = await probeMp4(video)
      expect(await probeMp4(out)).toMatchObject(before)
      const [plain, marked] = [await pixelsAt(video, 0.5), await pixelsAt(out, 0.5)]
      expect(meanDifference(plain, marked, [540, 330, 90, 20])).toBeGreaterThan(15)
      expect(meanDifference(plain, marked, [0, 0, 400, 300])).toBeLessThan(2)
      expect(progress.at(-1)).toBe(100)
      expect(progress).toEqual([...progress].sort((a, b) => a - b))
    })

    it('labels the start, for three seconds, beside a watermark', async () => {
      const long = join(folder, 'long.mp4')
      const out = join(folder, 'labelled.mp4')
      await encode(long, 24 * 4)
      await stampVideo(long, out, { watermark: 'KINORA', label: true }, { ffmpegPath })
      const label: Area = [20, 15, 300, 20]
      const difference = async (at: number, area: Area) =>
        meanDifference(await pixelsAt(long, at), await pixelsAt(out, at), area)
      expect(await difference(0, label)).toBeGreaterThan(15)
      expect(await difference(2.9, label)).toBeGreaterThan(15)
      expect(await difference(3.1, label)).toBeLessThan(2)
      expect(await difference(3.1, [540, 330, 90, 20])).toBeGreaterThan(15)
      expect(await probeMp4(out)).toMatchObject({ frames: 24 * 4, codec: 'avc1', faststart: true })
    })

    it('removes its files when aborted or when the source is not a video', async () => {
      const before = await readdir(folder)
      await expect(
        stampVideo(video, join(folder, 'no.mp4'), { label: true }, { signal: AbortSignal.abort(), ffmpegPath }),
      ).rejects.toThrow()
      await writeFile(join(folder, 'text.mp4'), 'no video')
      await expect(
        stampVideo(join(folder, 'text.mp4'), join(folder, 'no.mp4'), { label: true }, { ffmpegPath }),
      ).rejects.toThrow()
      expect(await readdir(folder)).toEqual([...before, 'text.mp4'].sort())
    })
  })
})
