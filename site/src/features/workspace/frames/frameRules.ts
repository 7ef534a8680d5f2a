import { IMAGE_MAX_BYTES } from '#backend/tasks/contract.ts'

export const IMAGE_TYPES = ['image/jpeg', 'image/png'] as const

export type ImageFault = 'invalid_file_type' | 'payload_too_large' | 'image_aspect_ratio' | 'image_too_small'

/** Returns why a file's type or size is rejected, or undefined if both are valid. */
export function fileFault(file: { readonly type: string; readonly size: number }): ImageFault | undefined {
  if (!IMAGE_TYPES.some((type) => type === file.type)) return 'invalid_file_type'
  return file.size > IMAGE_MAX_BYTES ? 'payload_too_large' : undefined
}

/** Rejects aspect ratios outside 2:5 to 5:2 and images whose shorter side is 300 px or less. */
export function sizeFault(width: number, height: number): ImageFault | undefined {
  const ratio = width / height
  if (ratio < 2 / 5 || ratio > 5 / 2) return 'image_aspect_ratio'
  return Math.min(width, height) <= 300 ? 'image_too_small' : undefined
}

/** Returns whether an image is close enough to 16:9 to need no cropping warning. */
export const isWide = (width: number, height: number): boolean => Math.abs(width / height - 16 / 9) <= 0.2
