import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import type { Box } from './view.ts'

/** Red, green, blue and opacity, 0 to 255. */
export type Pixel = [number, number, number, number]

const MAX_WIDTH = 1100

/**
 * Fills a box with colours computed per pixel, at `density` pixels per unit (at most that of the context), and scales the
 * result up smoothly. Soft shapes are drawn this way because many faint canvas gradients together show a dither pattern.
 */
export function paintPixels(
  context: SKRSContext2D,
  box: Box,
  density: number,
  shade: (x: number, y: number, pixel: Pixel) => void,
): void {
  const boxWidth = box.right - box.left
  const boxHeight = box.bottom - box.top
  if (boxWidth <= 0 || boxHeight <= 0) return
  const width = Math.max(2, Math.min(MAX_WIDTH, Math.round(boxWidth * Math.min(density, context.getTransform().a))))
  const height = Math.max(2, Math.round((width * boxHeight) / boxWidth))
  const canvas = createCanvas(width, height)
  const target = canvas.getContext('2d')
  const image = target.createImageData(width, height)
  const pixel: Pixel = [0, 0, 0, 0]
  for (let row = 0; row < height; row++) {
    const y = box.top + ((row + 0.5) / height) * boxHeight
    for (let column = 0; column < width; column++) {
      pixel[3] = 0
      shade(box.left + ((column + 0.5) / width) * boxWidth, y, pixel)
      // The clamped array rounds and clamps the values.
      image.data.set(pixel, (row * width + column) * 4)
    }
  }
  target.putImageData(image, 0, 0)
  context.imageSmoothingQuality = 'high'
  context.drawImage(canvas, box.left, box.top, boxWidth, boxHeight)
}
