import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { FULL, SLACK } from '../../testing/fullRun.ts'
import type { CropEdges } from './contract.ts'
import { normaliseImage } from './normaliseImage.ts'

const MB = 1024 * 1024
/** CPU time of the costliest pictures that are accepted, in seconds. */
const MAX_CPU = 2 * SLACK

/** Returns noise, which decoders and encoders take longest for. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0, state = 1; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

const raw = (width: number, height: number, channels: 3 | 4, bytes: Buffer) =>
  sharp(bytes, { raw: { width, height, channels } })
const flat = (width: number, height: number) => raw(width, height, 4, Buffer.alloc(width * height * 4, 128))

function withText(png: Buffer, size: number): Buffer {
  const text = Buffer.concat([Buffer.from('tEXtComment\0'), Buffer.alloc(size, 65)])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(text.length - 4, 0)
  numbers.writeUInt32BE(crc32(text), 4)
  return Buffer.concat([png.subarray(0, 33), numbers.subarray(0, 4), text, numbers.subarray(4), png.subarray(33)])
}

/** Repeats the first scan of a progressive JPEG that refines one component. */
function withScans(jpeg: Buffer, times: number): Buffer {
  const start = jpeg.indexOf(Buffer.from('ffda000801', 'hex'))
  const first = jpeg.subarray(start, jpeg.indexOf(Buffer.from('ffc4', 'hex'), start))
  return Buffer.concat([jpeg.subarray(0, -2), ...Array(times).fill(first), jpeg.subarray(-2)])
}

type Picture = readonly [name: string, make: () => Promise<Buffer>, outcome: string, crop: CropEdges | undefined]

const PICTURES: readonly Picture[] = [
  [
    'a PNG of 20 MB with one long text',
    async () => withText(await flat(640, 360).png().toBuffer(), 20 * MB - 10_000),
    'accepted',
    undefined,
  ],
  [
    'a progressive JPEG of 40 million pixels with 40 scans',
    async () => withScans(await flat(8000, 5000).removeAlpha().jpeg({ progressive: true }).toBuffer(), 30),
    'image_too_large',
    undefined,
  ],
]
const LARGE: readonly Picture[] = [
  [
    'an interlaced PNG of 40 million pixels',
    () => flat(8000, 5000).png({ progressive: true }).toBuffer(),
    'accepted',
    undefined,
  ],
  [
    'a progressive JPEG of 26 million pixels without subsampling',
    () =>
      raw(5100, 5100, 3, noise(5100 * 5100 * 3))
        .jpeg({ quality: 40, progressive: true, chromaSubsampling: '4:4:4' })
        .toBuffer(),
    'accepted',
    undefined,
  ],
  [
    // The decoder cannot shrink what is turned and cut.
    'a crop of a turned JPEG of 40 million pixels',
    () =>
      raw(8000, 5000, 3, noise(8000 * 5000 * 3))
        .jpeg({ quality: 40 })
        .withMetadata({ orientation: 6 })
        .toBuffer(),
    'accepted',
    { left: 0.01, top: 0, right: 1, bottom: 1 },
  ],
]

describe('the CPU time of decoding', () => {
  it.each(FULL ? [...PICTURES, ...LARGE] : PICTURES)(`is under ${MAX_CPU} s for %s`, async (_, make, wanted, crop) => {
    const file = await make()
    expect(file.length).toBeLessThanOrEqual(20 * MB)
    const before = process.cpuUsage()
    const outcome = await normaliseImage(file, crop).then(
      () => 'accepted',
      ({ code }) => code,
    )
    const { user, system } = process.cpuUsage(before)
    expect({ outcome, isQuick: (user + system) / 1e6 < MAX_CPU }).toEqual({ outcome: wanted, isQuick: true })
  })
})
