import { createCanvas, loadImage } from '@napi-rs/canvas'

export type ImageErrorCode = 'invalid_file_type' | 'image_too_small' | 'image_aspect_ratio' | 'image_too_large'

/** The picture cannot be a first frame; `code` says which rule it breaks. */
export class ImageError extends Error {
  override name = 'ImageError'
  readonly code: ImageErrorCode

  constructor(code: ImageErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export type ImageInfo = Readonly<{ type: 'jpeg' | 'png'; width: number; height: number }>

/** The shorter side must be longer than this, in pixels. */
const MIN_SIDE = 300
const MAX_RATIO = 5 / 2
/** Decoded RGBA takes four bytes a pixel: this bounds it to 160 MB. */
const MAX_PIXELS = 40_000_000
/** A progressive JPEG may repeat tiny scans over a huge picture; real encoders use about ten. */
const MAX_SCANS = 100
const JPEG_QUALITY = 92

/**
 * Reads the type and pixel size from the header alone: nothing is decoded. The size is as stored, before any EXIF
 * rotation (the rules are the same for a turned picture). Throws `ImageError` when a rule of first frames is broken.
 */
export function inspectImage(buffer: Buffer): ImageInfo {
  const info = readPngHeader(buffer) ?? readJpegHeader(buffer)
  if (!info || info.width === 0 || info.height === 0) {
    throw new ImageError('invalid_file_type', 'The file is not a JPEG or PNG picture')
  }
  const { width, height } = info
  if (width * height > MAX_PIXELS) throw new ImageError('image_too_large', `${width} × ${height} pixels are too many`)
  if (Math.min(width, height) <= MIN_SIDE) {
    throw new ImageError('image_too_small', `The shorter side must be longer than ${MIN_SIDE} pixels`)
  }
  if (Math.max(width, height) / Math.min(width, height) > MAX_RATIO) {
    throw new ImageError('image_aspect_ratio', 'The aspect ratio must lie between 2:5 and 5:2')
  }
  return info
}

/**
 * Decodes a picture (after the header's check) and writes it anew as JPEG: upright whatever its EXIF orientation,
 * transparent parts white, and without metadata or anything else that was hidden in the file.
 */
export async function normaliseImage(buffer: Buffer): Promise<{ data: Buffer; width: number; height: number }> {
  const { type } = inspectImage(buffer)
  // The decoder turns the picture upright by itself, which swaps its sides for a quarter turn.
  const image = await loadImage(buffer).catch(() => {
    throw new ImageError('invalid_file_type', `The ${type} picture is damaged`)
  })
  const { width, height } = image
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false })
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0)
  return { data: await canvas.encode('jpeg', JPEG_QUALITY), width, height }
}

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])

function readPngHeader(buffer: Buffer): ImageInfo | undefined {
  if (buffer.length < 33 || !buffer.subarray(0, PNG_START.length).equals(PNG_START)) return undefined
  return { type: 'png', width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) }
}

/** Walks the segments to the frame header (SOF), which holds the size. */
function readJpegHeader(buffer: Buffer): ImageInfo | undefined {
  if (buffer.length < 4 || buffer[0] !== 0xff || buffer[1] !== 0xd8) return undefined
  let position = 2
  while (position + 4 <= buffer.length) {
    if (buffer[position] !== 0xff) return undefined
    const marker = buffer[position + 1] as number
    if (marker === 0xff) {
      position += 1 // padding before a marker
      continue
    }
    if (isFrameHeader(marker)) return readFrameHeader(buffer, position)
    // Pictures start after the frame header: data or an end before it is no picture.
    if (marker === 0xda || marker === 0xd9 || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) return undefined
    const length = buffer.readUInt16BE(position + 2)
    if (length < 2) return undefined
    position += 2 + length
  }
  return undefined
}

/** SOF0 to SOF15, without the Huffman (C4), reserved (C8) and arithmetic (CC) tables between them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function readFrameHeader(buffer: Buffer, position: number): ImageInfo | undefined {
  if (position + 9 > buffer.length || countScans(buffer, position) > MAX_SCANS) return undefined
  return { type: 'jpeg', width: buffer.readUInt16BE(position + 7), height: buffer.readUInt16BE(position + 5) }
}

function countScans(buffer: Buffer, from: number): number {
  const marker = Buffer.from([0xff, 0xda])
  let scans = 0
  for (let at = buffer.indexOf(marker, from); at >= 0 && scans <= MAX_SCANS; at = buffer.indexOf(marker, at + 2))
    scans++
  return scans
}
