import type { CropEdges } from './contract.ts'
import { type ImageFile, type ImageHeader, readImageFile, readImageHeader } from './imageFile.ts'

const CODES = [
  'invalid_file_type',
  'image_too_small',
  'image_aspect_ratio',
  'image_too_large',
  'image_damaged',
] as const
type ImageErrorCode = (typeof CODES)[number]

/** Matches the codes of {@link assertShape}, which judges the part that is kept. */
export const isShapeCode = (code: string): boolean => code === 'image_too_small' || code === 'image_aspect_ratio'
export const isImageErrorCode = (code: string): code is ImageErrorCode => CODES.some((known) => known === code)

/** Thrown for an image that cannot be a first frame; `code` identifies the violated rule. */
export class ImageError extends Error {
  override name = 'ImageError'
  readonly code: ImageErrorCode

  constructor(code: ImageErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

type ImageInfo = Pick<ImageHeader, 'type' | 'width' | 'height'>

/** Exclusive minimum of the shorter side, in pixels. */
const MIN_SIDE = 300
const MAX_RATIO = 5 / 2
/** 8000 × 5000, for example. */
export const MAX_PIXELS = 40_000_000
/** Four bytes for each of the most pixels; a picture with more bytes per pixel may have fewer pixels. */
const MAX_DECODED_BYTES = 4 * MAX_PIXELS
/** Pixels × components of all scans of a JPEG. Common encoders scan a progressive picture in 14 passes. */
const MAX_SCANNED_PIXELS = 20 * MAX_PIXELS
/** First bytes of other file types. Appended pictures and clips are allowed, because cameras produce them. */
const FOREIGN_FILE = /^\s*(<[!?%a-z]|#!|%PDF|PK|MZ|.ELF|Rar!|7z|GIF8|\{\\rtf)/i

/**
 * Checks the type and dimensions of an image from its header, in under a millisecond. The rest may be damaged. If a part
 * is cut out, the image itself may have any aspect ratio.
 * @throws ImageError
 * @example const { width, height } = inspectImage(await readFile('photo.jpg'))
 */
export function inspectImage(buffer: Buffer, crop?: CropEdges): ImageInfo {
  const header = readImageHeader(buffer)
  if (!header?.width || !header.height)
    throw new ImageError('invalid_file_type', 'The file is not a JPEG or PNG picture')
  const { type, width, height, bytesPerPixel } = header
  if (width * height * Math.max(4, bytesPerPixel) > MAX_DECODED_BYTES)
    throw new ImageError('image_too_large', `${width} × ${height} pixels are too many`)
  assertShape(width, height, crop ? Number.POSITIVE_INFINITY : MAX_RATIO)
  return { type, width, height }
}

/** @throws ImageError image_too_small, image_aspect_ratio */
function assertShape(width: number, height: number, maxRatio = MAX_RATIO): void {
  if (Math.min(width, height) <= MIN_SIDE)
    throw new ImageError('image_too_small', `The shorter side must be longer than ${MIN_SIDE} pixels`)
  if (Math.max(width, height) / Math.min(width, height) > maxRatio)
    throw new ImageError('image_aspect_ratio', 'The aspect ratio must lie between 2:5 and 5:2')
}

/** Returns the pixels that a crop keeps of an upright image. @throws ImageError image_too_small, image_aspect_ratio */
export function pixelsOf({ left, top, right, bottom }: CropEdges, image: Readonly<{ width: number; height: number }>) {
  const [x, y] = [Math.round(left * image.width), Math.round(top * image.height)]
  const [width, height] = [Math.round(right * image.width) - x, Math.round(bottom * image.height) - y]
  assertShape(width, height)
  return { left: x, top: y, width, height }
}

/**
 * Checks that an image is valid and complete, and that no other file follows it. Reads the whole file.
 * @throws ImageError
 */
export function inspectWholeImage(buffer: Buffer, crop?: CropEdges): ImageFile {
  const { type, width, height } = inspectImage(buffer, crop)
  const file = readImageFile(buffer)
  if (file?.end === undefined) throw new ImageError('image_damaged', `The ${type} picture is damaged or cut short`)
  if (width * height * file.passes > MAX_SCANNED_PIXELS)
    throw new ImageError('image_too_large', `${file.passes} passes over ${width} × ${height} pixels are too many`)
  if (FOREIGN_FILE.test(buffer.toString('latin1', file.end, file.end + 64)))
    throw new ImageError('invalid_file_type', 'The file contains other data after its picture')
  return file
}
