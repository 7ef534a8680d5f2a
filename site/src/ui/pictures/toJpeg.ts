import { PICTURE_BACKGROUND } from '#backend/kernel/media/contract.ts'

/** Part of an image, in its pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Longest side of a converted picture, in pixels, so that a crop has enough of them. Safari draws at most 4096². */
const LONGEST = 4096
const QUALITY = 0.92

/** Draws a part of an image over a whole canvas, upright, and onto the background of transparent pictures. */
export function drawPart(
  canvas: HTMLCanvasElement,
  image: HTMLImageElement,
  part: Box,
): CanvasRenderingContext2D | null {
  const context = canvas.getContext('2d', { alpha: false, colorSpace: 'srgb' })
  if (!context) return null
  context.fillStyle = PICTURE_BACKGROUND
  context.fillRect(0, 0, canvas.width, canvas.height)
  const { left, top, width, height } = part
  context.drawImage(image, left, top, width, height, 0, 0, canvas.width, canvas.height)
  return context
}

/** Draws an image as JPEG in sRGB. @throws if the browser cannot */
export async function toJpeg(image: HTMLImageElement): Promise<Blob> {
  const { naturalWidth: width, naturalHeight: height } = image
  const scale = Math.min(1, LONGEST / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  drawPart(canvas, image, { left: 0, top: 0, width, height })
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!blob) throw new Error('the browser cannot encode JPEG')
  return blob
}
