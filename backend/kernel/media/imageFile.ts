import { crc32 } from 'node:zlib'

/** Properties read from the structure of an image file, without decoding it. */
export interface ImageFile {
  readonly type: 'jpeg' | 'png'
  /** Pixels as stored, before any EXIF rotation. */
  readonly width: number
  readonly height: number
  /** Offset after the image's last byte; undefined if the file is truncated or damaged. */
  readonly end?: number
  /** Compressed pixel data of a complete PNG, one buffer per IDAT chunk. */
  readonly data?: readonly Buffer[]
}

/** PNG signature and start of the header chunk, which is 13 bytes long (PNG, third edition, 5.2 and 11.2). */
const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
/** Progressive encoders write about ten scans; thousands of tiny scans over a large image exhaust the CPU. */
const MAX_SCANS = 100
const [SOS, EOI] = [0xda, 0xd9]

const isPng = (buffer: Buffer) => buffer.subarray(0, PNG_START.length).equals(PNG_START)
const isJpeg = (buffer: Buffer) => buffer[0] === 0xff && buffer[1] === 0xd8 && buffer[2] === 0xff

/** Returns whether a file starts like a JPEG or PNG. Requires its first 16 bytes. */
export const looksLikeImage = (start: Buffer): boolean => isPng(start) || isJpeg(start)

/** Returns the structure of a JPEG or PNG, detected by content; undefined for any other file. */
export function readImageFile(buffer: Buffer): ImageFile | undefined {
  if (isPng(buffer)) return readPng(buffer)
  return isJpeg(buffer) ? readJpeg(buffer) : undefined
}

function readPng(buffer: Buffer): ImageFile | undefined {
  if (buffer.length < 33) return undefined
  const header = { type: 'png', width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) } as const
  const data: Buffer[] = []
  for (let at = 8; at + 12 <= buffer.length; ) {
    const crcAt = at + 8 + buffer.readUInt32BE(at)
    if (crcAt + 4 > buffer.length || crc32(buffer.subarray(at + 4, crcAt)) !== buffer.readUInt32BE(crcAt)) break
    const chunk = buffer.toString('latin1', at + 4, at + 8)
    if (chunk === 'IDAT') data.push(buffer.subarray(at + 8, crcAt))
    at = crcAt + 4
    if (chunk === 'IEND') return { ...header, end: at, data }
  }
  return header
}

/** Walks the segments of a JPEG (ITU-T T.81, annex B). Stops at the first invalid one. */
function readJpeg(buffer: Buffer): ImageFile | undefined {
  let header: ImageFile | undefined
  let scans = 0
  for (let at = 2; buffer[at] === 0xff; ) {
    const marker = buffer[at + 1]!
    // Any number of 0xff fill bytes may precede a marker.
    if (marker === 0xff) at++
    else if (marker === EOI) return header && { ...header, end: at + 2 }
    else {
      const next = at + 4 <= buffer.length ? at + 2 + buffer.readUInt16BE(at + 2) : 0
      if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8) || next < at + 4 || next > buffer.length) break
      if (isFrameHeader(marker) && at + 9 <= buffer.length)
        header ??= { type: 'jpeg', width: buffer.readUInt16BE(at + 7), height: buffer.readUInt16BE(at + 5) }
      if (!header && marker === SOS) break
      if (marker === SOS && ++scans > MAX_SCANS) break
      at = marker === SOS ? endOfScan(buffer, next) : next
    }
  }
  return header
}

/** Matches SOF0 to SOF15, except DHT (C4), JPG (C8) and DAC (CC), which share the range but are not frame headers. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Returns the offset of the next marker. In scan data, 0xff is followed by 0 or belongs to a restart marker. */
function endOfScan(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(0xff, from); at >= 0; at = buffer.indexOf(0xff, at + 1)) {
    const next = buffer[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return buffer.length
}
