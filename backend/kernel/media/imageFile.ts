import { crc32 } from 'node:zlib'

/** Properties read from the header of an image file. */
export interface ImageHeader {
  readonly type: 'jpeg' | 'png'
  /** Pixels as stored, before any EXIF rotation. */
  readonly width: number
  readonly height: number
  /** Decoded bytes per pixel. CMYK counts as ten, because converting it to RGB takes as long. */
  readonly bytesPerPixel: number
}

/** Structure of an image file, read without decoding it. */
export interface ImageFile extends ImageHeader {
  /** Offset after the image's last byte; undefined if the file is truncated or damaged. */
  readonly end?: number
  /** Compressed pixel data of a PNG, one buffer per IDAT chunk. */
  readonly data?: readonly Buffer[]
  /** Exponent by which the samples of a PNG differ from those of sRGB, if it has no colour profile. */
  readonly gamma?: number
  /** The parts that a decoder needs: pixel data, orientation and colour profile, without texts and previews. */
  readonly parts: readonly Buffer[]
  /** Components of all scans of a JPEG. Each passes over all pixels. */
  readonly passes: number
  /** A JPEG without an end marker, which `parts` has. Its last scan may be cut short, which only a decoder can tell. */
  readonly isOpen?: boolean
}

/** PNG signature and start of the header chunk, which is 13 bytes long (PNG, third edition, 5.2 and 11.2). */
const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
/** Gamma of sRGB, as a chunk states it (PNG, third edition, 11.3.2.2). */
const GAMMA_OF_SRGB = 45_455
/** Samples per pixel, by PNG colour type. */
const PNG_CHANNELS = [1, 0, 3, 1, 2, 0, 4]
/** Ancillary chunks that change the decoded picture, with their maximum size in bytes. */
const PNG_ANCILLARY = new Map([
  ...['tRNS', 'gAMA', 'cHRM', 'sRGB'].map((name) => [name, 1_024] as const),
  ['iCCP', 1 << 20],
  ['eXIf', 1 << 16],
])
/** Encoders write chunks of at least 8 kB, so a 20 MB picture has 2,600. */
const MAX_PARTS = 10_000
const MAX_PROFILE_BYTES = 1 << 20
/** Bytes between the segments of a JPEG, which every decoder skips. Programs write a few by mistake. */
const MAX_STRAY_BYTES = 1 << 16
/** Progressive encoders write about ten scans. */
const MAX_SCANS = 100
const [SOI, SOS, EOI, APP0, APP1, APP2, APP14, COM] = [0xd8, 0xda, 0xd9, 0xe0, 0xe1, 0xe2, 0xee, 0xfe]

const isPng = (buffer: Buffer) => buffer.subarray(0, PNG_START.length).equals(PNG_START)
const isJpeg = (buffer: Buffer) => buffer[0] === 0xff && buffer[1] === 0xd8 && buffer[2] === 0xff

/** Returns the header of a JPEG or PNG, detected by content; undefined for any other file. Takes under a millisecond. */
export function readImageHeader(buffer: Buffer): ImageHeader | undefined {
  if (isPng(buffer)) return readPngHeader(buffer)
  if (!isJpeg(buffer)) return undefined
  for (const { marker, at } of jpegSegments(buffer)) {
    if (marker === SOS) break
    if (isFrameHeader(marker)) return readFrameHeader(buffer, at)
  }
  return undefined
}

/** Returns the structure of a JPEG or PNG. Reads the whole file, which takes up to a second. */
export function readImageFile(buffer: Buffer): ImageFile | undefined {
  const header = readImageHeader(buffer)
  return header && (header.type === 'png' ? readPng(buffer, header) : readJpeg(buffer, header))
}

function readPngHeader(buffer: Buffer): ImageHeader | undefined {
  if (buffer.length < 33) return undefined
  const bytesPerPixel = (buffer[24]! * (PNG_CHANNELS[buffer[25]!] ?? 0)) / 8
  return { type: 'png', width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20), bytesPerPixel }
}

function readPng(buffer: Buffer, header: ImageHeader): ImageFile {
  const data: Buffer[] = []
  const parts = [buffer.subarray(0, 8)]
  const seen = new Set<string>()
  let gamma = GAMMA_OF_SRGB
  for (let at = 8, count = 0; at + 12 <= buffer.length && count < MAX_PARTS; count++) {
    const length = buffer.readUInt32BE(at)
    const crcAt = at + 8 + length
    if (crcAt + 4 > buffer.length) break
    const chunk = buffer.toString('latin1', at + 4, at + 8)
    // The decoder judges critical chunks, whose first letter is upper case.
    const isCritical = (chunk.charCodeAt(0) & 32) === 0
    const isIntact = crc32(buffer.subarray(at + 4, crcAt)) === buffer.readUInt32BE(crcAt)
    if (isCritical && !isIntact) break
    // Like every viewer, ignore an ancillary chunk with a wrong checksum.
    if (isCritical || (isIntact && !seen.has(chunk) && length <= (PNG_ANCILLARY.get(chunk) ?? -1))) {
      parts.push(buffer.subarray(at, crcAt + 4))
      seen.add(chunk)
    }
    if (chunk === 'IDAT') data.push(buffer.subarray(at + 8, crcAt))
    if (chunk === 'gAMA' && isIntact && length === 4) gamma = buffer.readUInt32BE(at + 8)
    at = crcAt + 4
    if (chunk !== 'IEND') continue
    const file = { ...header, end: at, data, parts, passes: 0 }
    return seen.has('sRGB') || seen.has('iCCP') ? file : { ...file, gamma: gamma / GAMMA_OF_SRGB }
  }
  return { ...header, parts, passes: 0 }
}

type Segment = Readonly<{ marker: number; at: number; next: number }>

/** Walks the segments of a JPEG (ITU-T T.81, annex B). A scan includes its data. Stops at the first invalid one. */
function* jpegSegments(buffer: Buffer): Generator<Segment> {
  let stray = MAX_STRAY_BYTES
  for (let from = 2, count = 0; count < MAX_PARTS; count++) {
    const at = nextMarker(buffer.subarray(0, from + stray), from)
    const marker = buffer[at + 1]
    if (marker === EOI) return yield { marker, at, next: at + 2 }
    const end = at + 4 <= buffer.length ? at + 2 + buffer.readUInt16BE(at + 2) : 0
    if (buffer[at] !== 0xff || !marker || marker < 0xc0 || marker === SOI || end < at + 4 || end > buffer.length) return
    const next = marker === SOS ? nextMarker(buffer, end) : end
    yield { marker, at, next }
    stray -= at - from
    from = next
  }
}

function readJpeg(buffer: Buffer, header: ImageHeader): ImageFile {
  const parts = [buffer.subarray(0, 2)]
  const seen = new Set<number>()
  /** Coefficients of all components that were sent in full precision. */
  const precise = new Set<number>()
  let [scans, passes, profile, components, end] = [0, 0, 0, 0, 0]
  for (const { marker, at, next } of jpegSegments(buffer)) {
    const segment = buffer.subarray(at, next)
    end = next
    if (marker === APP2) profile += segment.length
    if (isNeeded(marker, segment) && !seen.has(marker) && profile <= MAX_PROFILE_BYTES) {
      parts.push(segment)
      if (isMetadata(marker) && marker !== APP2) seen.add(marker)
    }
    if (marker === EOI) return { ...header, end: next, parts, passes }
    if (isFrameHeader(marker)) components = segment[9] ?? 0
    if (marker !== SOS) continue
    passes += segment[4] ?? 0
    if (++scans > MAX_SCANS) return { ...header, parts, passes }
    for (const coefficient of preciseCoefficients(segment)) precise.add(coefficient)
  }
  const isComplete = end === buffer.length && precise.size === components * 64
  if (!isComplete) return { ...header, parts, passes }
  return { ...header, end, parts: [...parts, Buffer.from([0xff, EOI])], passes, isOpen: true }
}

/** Returns the coefficients that a scan leaves in full precision, as component id × 64 + position (T.81, B.2.3). */
function preciseCoefficients(scan: Buffer): number[] {
  const last = 5 + 2 * (scan[4] ?? 0)
  const [from = 0, to = 0, precision = 0] = scan.subarray(last, last + 3)
  if ((precision & 15) !== 0) return []
  const ids = Array.from({ length: scan[4] ?? 0 }, (_, i) => scan[5 + 2 * i] ?? 0)
  return ids.flatMap((id) => Array.from({ length: Math.min(to, 63) - from + 1 }, (_, i) => id * 64 + from + i))
}

const isMetadata = (marker: number) => marker === COM || (marker >= APP0 && marker <= APP0 + 15)

/** Keeps, of the metadata, the density, the orientation, the colour profile and the colour model. */
function isNeeded(marker: number, segment: Buffer): boolean {
  const starts = (text: string) => segment.toString('latin1', 4, 4 + text.length) === text
  if (marker === APP1) return starts('Exif\0')
  if (marker === APP2) return starts('ICC_PROFILE\0')
  return !isMetadata(marker) || marker === APP0 || marker === APP14
}

/** Matches SOF0 to SOF2: baseline, extended and progressive with Huffman coding, which every browser decodes. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xc2

function readFrameHeader(buffer: Buffer, at: number): ImageHeader | undefined {
  if (at + 10 > buffer.length) return undefined
  const components = buffer[at + 9]!
  const size = { width: buffer.readUInt16BE(at + 7), height: buffer.readUInt16BE(at + 5) }
  return { type: 'jpeg', ...size, bytesPerPixel: components === 4 ? 10 : components }
}

/** Returns the offset of the next marker, or the length. In scan data, 0xff is followed by 0 or belongs to a restart marker. */
function nextMarker(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(0xff, from); at >= 0; at = buffer.indexOf(0xff, at + 1)) {
    const next = buffer[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return buffer.length
}
