import { IMAGE_MAX_BYTES } from '#backend/tasks/contract.ts'

/** Types that are uploaded as they are. */
const SENT_TYPES = ['image/jpeg', 'image/png']
/** Types that become JPEG before the upload, where the browser can decode them. */
const CONVERTED_TYPES = ['image/webp', 'image/heic', 'image/heif']
/** Some systems know no type for HEIC. */
const CONVERTED_NAMES = /\.hei[cf]$/i

/** The `accept` attribute of a file input. */
export const ACCEPTED = [...SENT_TYPES, ...CONVERTED_TYPES, '.heic', '.heif'].join(',')

export type ImageFault = 'invalid_file_type' | 'payload_too_large' | 'image_aspect_ratio' | 'image_too_small'

interface ImageFile {
  readonly type: string
  readonly size: number
  readonly name?: string
}

/** Returns whether a file is uploaded without conversion. */
export const isSentAsIs = ({ type }: ImageFile): boolean => SENT_TYPES.includes(type)

/** Returns why a file's type or size is rejected, or undefined if both are valid. */
export function fileFault(file: ImageFile): ImageFault | undefined {
  const isKnown = isSentAsIs(file) || CONVERTED_TYPES.includes(file.type) || CONVERTED_NAMES.test(file.name ?? '')
  if (!isKnown) return 'invalid_file_type'
  return file.size > IMAGE_MAX_BYTES ? 'payload_too_large' : undefined
}

/** The shorter side of an image must be longer, in pixels. */
const SHORTEST = 300

/** Rejects aspect ratios outside 2:5 to 5:2 and images whose shorter side is 300 px or less. */
export function sizeFault(width: number, height: number): ImageFault | undefined {
  const ratio = width / height
  if (ratio < 2 / 5 || ratio > 5 / 2) return 'image_aspect_ratio'
  return Math.min(width, height) <= SHORTEST ? 'image_too_small' : undefined
}

/** Returns whether an image is close enough to 16:9 to need no cropping warning. */
export const isWide = (width: number, height: number): boolean => Math.abs(width / height - 16 / 9) <= 0.2
