import { crc32, deflateSync } from 'node:zlib'
import { createCanvas } from '@napi-rs/canvas'
import { seeded } from './seeded.ts'

/** A file that an upload must reject with one of `codes`. */
export interface HostileFile {
  readonly kind: string
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
  readonly codes: readonly string[]
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}

/** Returns a PNG file (8-bit RGB) with well-formed chunks and the given compressed image data. */
function png(width: number, height: number, packed: Buffer, extra: readonly Buffer[] = []): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const none = Buffer.alloc(0)
  return Buffer.concat([PNG_SIGNATURE, chunk('IHDR', header), ...extra, chunk('IDAT', packed), chunk('IEND', none)])
}

function jpegHeader(width: number, height: number): Buffer {
  const buffer = Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
  buffer.writeUInt16BE(height, 7)
  buffer.writeUInt16BE(width, 9)
  return buffer
}

function photo(type: 'png' | 'jpeg', random: () => number): Buffer {
  const canvas = createCanvas(640, 360)
  const draw = canvas.getContext('2d')
  for (let n = 0; n < 60; n++) {
    draw.fillStyle = `hsl(${Math.floor(random() * 360)} 60% 50%)`
    draw.fillRect(random() * 640, random() * 360, random() * 200, random() * 200)
  }
  return type === 'png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg')
}

/** Returns a valid PNG of about 15 MB. */
export function largePicture(): Buffer {
  const [width, height] = [2560, 1920]
  const rows = Buffer.alloc(height * (1 + width * 3))
  const random = seeded(1)
  for (let at = 0; at < rows.length; at++) rows[at] = random() * 256
  for (let row = 0; row < height; row++) rows[row * (1 + width * 3)] = 0
  return png(width, height, deflateSync(rows, { level: 1 }))
}

const WRONG = ['invalid_file_type']
const BROKEN = ['image_damaged', 'invalid_file_type']
const HUGE = ['image_too_large', 'invalid_file_type']
const OTHERS = [
  '<!doctype html><script>alert(document.cookie)</script>',
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360" onload="alert(1)"/>',
  '<?php system($_GET["c"]); ?>',
  '#!/bin/sh\nrm -rf /\n',
  '%PDF-1.7\n1 0 obj',
  'PK\x03\x04\x14\0\0\0',
  'MZ\x90\0\x03',
  '\x7fELF\x02\x01\x01',
  'GIF89a\x80\x02\x68\x01\xf0\0\0',
]
const ALSO_WRONG = ['RIFF\x24\0\0\0WEBPVP8 ', 'BM\x36\0\0\0', 'II*\0\x08\0\0\0', '\0\0\0\x1cftypavif', '8BPS\0\x01', '']
const binary = (text: string) => Buffer.from(text, 'latin1')

type Make = (random: () => number) => Pick<HostileFile, 'bytes' | 'codes'>

const KINDS: Readonly<Record<string, Make>> = {
  'wrong type': (random) => {
    const start = [...OTHERS, ...ALSO_WRONG][Math.floor(random() * 15)]!
    return { bytes: binary(start.padEnd(20 + random() * 4_000, 'A')), codes: WRONG }
  },
  noise: (random) => ({
    bytes: Buffer.from(Array.from({ length: 1 + random() * 3_000 }, () => random() * 256)),
    codes: WRONG,
  }),
  'cut short': (random) => {
    const whole = photo(random() < 0.5 ? 'png' : 'jpeg', random)
    return { bytes: whole.subarray(0, 1 + Math.floor(random() * (whole.length - 2))), codes: BROKEN }
  },
  'polyglot before': (random) => {
    const other = binary(OTHERS[Math.floor(random() * OTHERS.length)]!)
    return { bytes: Buffer.concat([other, photo(random() < 0.5 ? 'png' : 'jpeg', random)]), codes: WRONG }
  },
  'polyglot after': (random) => {
    const other = binary(OTHERS[Math.floor(random() * OTHERS.length)]!)
    return { bytes: Buffer.concat([photo(random() < 0.5 ? 'png' : 'jpeg', random), other]), codes: WRONG }
  },
  'a header of 10,000 × 10,000': (random) => {
    const [width, height] = [10_000 + Math.floor(random() * 50_000), 10_000 + Math.floor(random() * 50_000)]
    const bytes = random() < 0.5 ? png(width, height, deflateSync(Buffer.alloc(64))) : jpegHeader(width, height)
    return { bytes, codes: HUGE }
  },
  // The image data is much larger or much smaller than the header declares.
  'a bomb': (random) => {
    const unpacked = Buffer.alloc(random() < 0.5 ? 30_000_000 : 1_000)
    return { bytes: png(640, 360, deflateSync(unpacked)), codes: BROKEN }
  },
  'a bomb of scans': () => ({
    bytes: Buffer.concat([jpegHeader(6_000, 6_000), Buffer.alloc(40_000, Buffer.from('ffda0002', 'hex'))]),
    codes: BROKEN,
  }),
  'lengths that lie': (random) => {
    const bytes = Buffer.from(photo(random() < 0.5 ? 'png' : 'jpeg', random))
    // The length of the second chunk (PNG) or the first segment (JPEG).
    if (bytes[0] === 0x89) bytes.writeUInt32BE(0x7fffffff - Math.floor(random() * 1_000), 33)
    else bytes.writeUInt16BE(random() < 0.5 ? 0 : 0xffff, 4)
    return { bytes, codes: BROKEN }
  },
  'flipped bits': (random) => {
    const bytes = Buffer.from(photo('png', random))
    // Flip a bit after the header chunk, so that the checksum of the image data no longer matches.
    const at = 41 + Math.floor(random() * (bytes.length - 60))
    bytes[at] = bytes[at]! ^ (1 << Math.floor(random() * 8))
    return { bytes, codes: BROKEN }
  },
  'a stranger among the chunks': (random) => {
    const rows = deflateSync(Buffer.alloc((640 * 3 + 1) * 360))
    return { bytes: png(640, 360, rows, [chunk('EVIL', Buffer.alloc(random() * 1_000))]), codes: BROKEN }
  },
  'no side': (random) => ({
    bytes: random() < 0.5 ? png(0, 640, deflateSync(Buffer.alloc(10))) : jpegHeader(640, 0),
    codes: WRONG,
  }),
}

/** Every n-th file is large: either above the limit of 20 MB, or a truncated image below it. */
const HEAVY_EVERY = 50
const NAMES = [
  'a.png',
  '../../etc/passwd',
  'a.png\0.html',
  '猫.jpg',
  'con.png',
  `${'x'.repeat(300)}.png`,
  '.htaccess',
  '',
]

/** Generates `count` hostile files, cycling through all kinds. The same seed yields the same files. */
export function* hostileFiles(count: number, seed: number): Generator<HostileFile> {
  const random = seeded(seed)
  const kinds = Object.entries(KINDS)
  for (let n = 0; n < count; n++) {
    const name = NAMES[Math.floor(random() * NAMES.length)] || 'blob'
    const type = random() < 0.5 ? 'image/png' : random() < 0.5 ? 'image/jpeg' : 'text/html'
    if (n % HEAVY_EVERY === HEAVY_EVERY - 1) {
      const isAllowed = n % (2 * HEAVY_EVERY) === HEAVY_EVERY - 1
      const start = png(640, 360, Buffer.alloc(0)).subarray(0, 33)
      const bytes = Buffer.concat([start, Buffer.alloc((isAllowed ? 15 : 21) * 1024 * 1024)])
      yield { kind: 'megabytes', name, type, bytes, codes: isAllowed ? BROKEN : ['payload_too_large'] }
      continue
    }
    const [kind, make] = kinds[n % kinds.length]!
    yield { kind, name, type, ...make(random) }
  }
}
