import { createCanvas, loadImage } from '@napi-rs/canvas'
import { isJpeg, jpegEnd, jpegSize } from './jpegFile.ts'
import { hasAllPixels, isPng, pngChunks, pngSize } from './pngFile.ts'

export const IMAGE_ERROR_CODES = [
  'invalid_file_type',
  'image_too_small',
  'image_aspect_ratio',
  'image_too_large',
  'image_damaged',
] as const
export type ImageErrorCode = (typeof IMAGE_ERROR_CODES)[number]

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
const JPEG_QUALITY = 92

/** Whether a file begins as a JPEG or PNG does; needs its first 16 bytes. */
export const looksLikeImage = (start: Buffer): boolean => isPng(start) || isJpeg(start)

/**
 * Reads the type and pixel size from the header alone: nothing is decoded. The size is as stored, before any EXIF
 * rotation (the rules are the same for a turned picture). Throws `ImageError` when a rule of first frames is broken.
 */
export function inspectImage(buffer: Buffer): ImageInfo {
  const type = isPng(buffer) ? 'png' : 'jpeg'
  const size = pngSize(buffer) ?? jpegSize(buffer)
  if (!size || size.width === 0 || size.height === 0) {
    throw new ImageError('invalid_file_type', 'The file is not a JPEG or PNG picture')
  }
  const { width, height } = size
  if (width * height > MAX_PIXELS) throw new ImageError('image_too_large', `${width} × ${height} pixels are too many`)
  if (Math.min(width, height) <= MIN_SIDE) {
    throw new ImageError('image_too_small', `The shorter side must be longer than ${MIN_SIDE} pixels`)
  }
  if (Math.max(width, height) / Math.min(width, height) > MAX_RATIO) {
    throw new ImageError('image_aspect_ratio', 'The aspect ratio must lie between 2:5 and 5:2')
  }
  return { type, width, height }
}

/** How other files begin that are hung on to pictures. What cameras append, more pictures and clips, may stay. */
const STOWAWAY = /^\s*(<[!?%a-z]|#!|%PDF|PK|MZ|.ELF|Rar!|7z|GIF8|\{\\rtf)/i

/** Inspects a picture, and that it is there to its end, with nothing hung on to it that is no picture. @throws ImageError */
export function inspectWholeImage(buffer: Buffer): ImageInfo {
  const info = inspectImage(buffer)
  const end = info.type === 'png' ? pngChunks(buffer)?.end : jpegEnd(buffer)
  if (end === undefined) throw new ImageError('image_damaged', `The ${info.type} picture is damaged or cut short`)
  if (STOWAWAY.test(buffer.toString('latin1', end, end + 64)))
    throw new ImageError('invalid_file_type', 'The file holds something else behind its picture')
  return info
}

/**
 * Decodes a picture (after its file was looked through) and writes it anew as JPEG: upright whatever its EXIF
 * orientation, transparent parts white, and without metadata or anything else that was hidden in the file.
 */
export async function normaliseImage(buffer: Buffer): Promise<{ data: Buffer; width: number; height: number }> {
  const { type } = inspectWholeImage(buffer)
  const damaged = new ImageError('image_damaged', `The ${type} picture is damaged`)
  // The decoder would fill what is missing, and take what is too much.
  if (type === 'png' && !(await hasAllPixels(buffer, pngChunks(buffer)!.data))) throw damaged
  // The decoder turns the picture upright by itself, which swaps its sides for a quarter turn.
  const image = await loadImage(buffer).catch(() => {
    throw damaged
  })
  const { width, height } = image
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false })
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0)
  return { data: await canvas.encode('jpeg', JPEG_QUALITY), width, height }
}
