import { IMAGE_MAX_BYTES } from '#backend/kernel/media/contract.ts'

/** Types that are uploaded as they are. */
const SENT_TYPES = ['image/jpeg', 'image/png']
/** First bytes of pictures. A name or a declared type may be missing or wrong. See docs/decisions/0061-one-road-for-pictures.md. */
const SIGNATURES: readonly (readonly [start: RegExp, type: string])[] = [
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^\x89PNG/, 'image/png'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^BM/, 'image/bmp'],
  [/^.{4}ftypavi[fs]/s, 'image/avif'],
  [/^.{4}ftyp(hei|hev|mif1|msf1)/s, 'image/heic'],
]
const SIGNATURE_BYTES = 16

/** The `accept` attribute of a file input. Some systems know no type for HEIC. */
export const ACCEPTED = 'image/jpeg,image/png,image/webp,image/avif,image/gif,image/heic,image/heif,.heic,.heif'

export type ImageFault =
  | 'invalid_file_type'
  | 'payload_too_large'
  | 'image_aspect_ratio'
  | 'image_too_small'
  | 'image_unreadable'

/** Returns the type of a picture, judged by its first bytes; undefined for any other file. */
export async function pictureType(file: Blob): Promise<string | undefined> {
  const start = String.fromCharCode(...new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer()))
  return SIGNATURES.find(([signature]) => signature.test(start))?.[1]
}

/** Returns whether a type is uploaded without conversion. */
export const isSentAsIs = (type: string): boolean => SENT_TYPES.includes(type)

/** Returns why a picture's type or size is rejected, or undefined if both are valid. */
export function fileFault(type: string | undefined, size: number): ImageFault | undefined {
  if (size > IMAGE_MAX_BYTES) return 'payload_too_large'
  return type ? undefined : 'invalid_file_type'
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
