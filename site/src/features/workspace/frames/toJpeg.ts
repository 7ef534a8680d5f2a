import type { Box } from './crop/cropRules.ts'

/** Longest side of a picture that is made here, in pixels: videos have at most 1920. */
const LONGEST = 2560
const QUALITY = 0.92

/** Draws a part of an image, or all of it, as JPEG. Transparent parts become black. @throws if the browser cannot */
export async function toJpeg(image: HTMLImageElement, part?: Box): Promise<Blob> {
  const whole = { left: 0, top: 0, width: image.naturalWidth, height: image.naturalHeight }
  const { left, top, width, height } = part ?? whole
  const scale = Math.min(1, LONGEST / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const context = canvas.getContext('2d', { alpha: false })
  context?.drawImage(image, left, top, width, height, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!blob) throw new Error('the browser cannot encode JPEG')
  return blob
}
