import { crc32, createInflate } from 'node:zlib'

/** The signature, then the head of the first chunk, which is IHDR and 13 bytes long (PNG, third edition, 5.2 and 11.2). */
const START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
const FIRST_CHUNK = 8
/** Length, type and CRC of a chunk. */
const FRAME = 12
/** Encoders write a few thousand at most; each costs a checksum. */
const MAX_CHUNKS = 50_000
const CRITICAL = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND'])
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** The passes of an interlaced picture: first column and row, and the steps between them. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

export const isPng = (buffer: Buffer): boolean => buffer.subarray(0, START.length).equals(START)

/** Width and height in pixels, as the header says; undefined for what is no PNG. */
export function pngSize(buffer: Buffer): { width: number; height: number } | undefined {
  if (buffer.length < 33 || !isPng(buffer)) return undefined
  return { width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) }
}

interface Chunks {
  readonly data: readonly Buffer[]
  /** Where the picture ends in the file. */
  readonly end: number
}

/** The picture's data, if every chunk up to IEND is whole; undefined for a file that is cut short or damaged. */
export function pngChunks(buffer: Buffer): Chunks | undefined {
  const data: Buffer[] = []
  let at = FIRST_CHUNK
  for (let count = 0; count < MAX_CHUNKS && at + FRAME <= buffer.length; count++) {
    const length = buffer.readUInt32BE(at)
    const crcAt = at + 8 + length
    if (crcAt + 4 > buffer.length) return undefined
    const type = buffer.toString('latin1', at + 4, at + 8)
    // A capital first letter says that the picture cannot be read without the chunk.
    if (!/^[A-Za-z]{4}$/.test(type) || (/^[A-Z]/.test(type) && !CRITICAL.has(type))) return undefined
    if (crc32(buffer.subarray(at + 4, crcAt)) !== buffer.readUInt32BE(crcAt)) return undefined
    at = crcAt + 4
    if (type === 'IDAT') data.push(buffer.subarray(crcAt - length, crcAt))
    if (type === 'IEND') return data.length > 0 ? { data, end: at } : undefined
  }
  return undefined
}

/** Bytes of the unpacked picture, a filter byte before each row; undefined for a header that no picture has. */
function unpackedBytes(buffer: Buffer): number | undefined {
  const { width, height } = pngSize(buffer)!
  const [depth, colour, , , interlaced] = buffer.subarray(24, 29) as unknown as number[]
  const bits = (CHANNELS[colour!] ?? 0) * depth!
  if (bits === 0) return undefined
  const bytes = (columns: number, rows: number) => (columns > 0 ? rows * (1 + Math.ceil((columns * bits) / 8)) : 0)
  if (!interlaced) return bytes(width, height)
  const steps = (size: number, first: number, step: number) => Math.max(0, Math.ceil((size - first) / step))
  return ADAM7.reduce((sum, [x, y, dx, dy]) => sum + bytes(steps(width, x, dx), steps(height, y, dy)), 0)
}

/** Whether the data unpacks to exactly the pixels that the header promises. Stops at the first byte too many: a bomb. */
export async function hasAllPixels(buffer: Buffer, data: readonly Buffer[]): Promise<boolean> {
  const wanted = unpackedBytes(buffer)
  if (wanted === undefined) return false
  const inflate = createInflate()
  let unpacked = 0
  const done = (async () => {
    for await (const part of inflate) {
      unpacked += (part as Buffer).length
      if (unpacked > wanted) return false
    }
    return unpacked === wanted
  })()
  for (const part of data) inflate.write(part)
  inflate.end()
  return done.catch(() => false)
}
