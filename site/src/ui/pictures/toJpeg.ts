import { PICTURE_BACKGROUND } from '#backend/kernel/media/contract.ts'

/** Part of an image, in its pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Longest side of a picture that is made here, in pixels: videos have at most 1920. */
const LONGEST = 2560
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

/** Draws a part of an image, or all of it, as JPEG in sRGB. @throws if the browser cannot */
export async function toJpeg(image: HTMLImageElement, part?: Box): Promise<Blob> {
  const box = part ?? { left: 0, top: 0, width: image.naturalWidth, height: image.naturalHeight }
  const scale = Math.min(1, LONGEST / Math.max(box.width, box.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(box.width * scale)
  canvas.height = Math.round(box.height * scale)
  drawPart(canvas, image, box)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  if (!blob) throw new Error('the browser cannot encode JPEG')
  return blob
}
