import { type ImageFile, readImageFile } from './imageFile.ts'

type ImageErrorCode =
  | 'invalid_file_type'
  | 'image_too_small'
  | 'image_aspect_ratio'
  | 'image_too_large'
  | 'image_damaged'

/** The image cannot be a first frame; `code` says which rule it breaks. */
export class ImageError extends Error {
  override name = 'ImageError'
  readonly code: ImageErrorCode

  constructor(code: ImageErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export type ImageInfo = Pick<ImageFile, 'type' | 'width' | 'height'>

/** Pixels; the shorter side must be longer. */
const MIN_SIDE = 300
const MAX_RATIO = 5 / 2
/** Decoded RGBA takes four bytes a pixel: 160 MB. */
export const MAX_PIXELS = 40_000_000
/** Starts of other file types. Cameras append further pictures and clips to theirs, which is allowed. */
const FOREIGN_FILE = /^\s*(<[!?%a-z]|#!|%PDF|PK|MZ|.ELF|Rar!|7z|GIF8|\{\\rtf)/i

/**
 * Checks type and pixel size of an image from its header; nothing is decoded.
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

/** Checks an image, that it is complete, and that no other file follows it. @throws ImageError */
export function inspectWholeImage(buffer: Buffer): ImageFile & { readonly end: number } {
  const { end, ...file } = checkImage(buffer)
  if (end === undefined) throw new ImageError('image_damaged', `The ${file.type} picture is damaged or cut short`)
  if (FOREIGN_FILE.test(buffer.toString('latin1', end, end + 64)))
    throw new ImageError('invalid_file_type', 'The file contains other data after its picture')
  return { ...file, end }
}
