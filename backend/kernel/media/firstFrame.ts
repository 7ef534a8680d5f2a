import { type ImageFile, readImageFile } from './imageFile.ts'

type ImageErrorCode =
  | 'invalid_file_type'
  | 'image_too_small'
  | 'image_aspect_ratio'
  | 'image_too_large'
  | 'image_damaged'

/** Thrown for an image that cannot be a first frame; `code` identifies the violated rule. */
export class ImageError extends Error {
  override name = 'ImageError'
  readonly code: ImageErrorCode

  constructor(code: ImageErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export type ImageInfo = Pick<ImageFile, 'type' | 'width' | 'height'>

/** Exclusive minimum of the shorter side, in pixels. */
const MIN_SIDE = 300
const MAX_RATIO = 5 / 2
/** Limits a decoded image to 160 MB, at four bytes per RGBA pixel. */
export const MAX_PIXELS = 40_000_000
/** First bytes of other file types. Appended pictures and clips are allowed, because cameras produce them. */
const FOREIGN_FILE = /^\s*(<[!?%a-z]|#!|%PDF|PK|MZ|.ELF|Rar!|7z|GIF8|\{\\rtf)/i

/**
 * Checks the type and dimensions of an image from its header, without decoding it.
 * @throws ImageError
 * @example const { width, height } = inspectImage(await readFile('photo.jpg'))
 */
export function inspectImage(buffer: Buffer): ImageInfo {
  const { type, width, height } = checkImage(buffer)
  return { type, width, height }
}

function checkImage(buffer: Buffer): ImageFile {
  const file = readImageFile(buffer)
  if (!file?.width || !file.height) throw new ImageError('invalid_file_type', 'The file is not a JPEG or PNG picture')
  const { width, height } = file
  if (width * height > MAX_PIXELS) throw new ImageError('image_too_large', `${width} × ${height} pixels are too many`)
  if (Math.min(width, height) <= MIN_SIDE)
    throw new ImageError('image_too_small', `The shorter side must be longer than ${MIN_SIDE} pixels`)
  if (Math.max(width, height) / Math.min(width, height) > MAX_RATIO)
    throw new ImageError('image_aspect_ratio', 'The aspect ratio must lie between 2:5 and 5:2')
  return file
}

/** Checks that an image is valid and complete, and that no other file follows it. @throws ImageError */
export function inspectWholeImage(buffer: Buffer): ImageFile & { readonly end: number } {
  const { end, ...file } = checkImage(buffer)
  if (end === undefined) throw new ImageError('image_damaged', `The ${file.type} picture is damaged or cut short`)
  if (FOREIGN_FILE.test(buffer.toString('latin1', end, end + 64)))
    throw new ImageError('invalid_file_type', 'The file contains other data after its picture')
  return { ...file, end }
}
