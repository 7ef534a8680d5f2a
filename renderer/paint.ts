import { type CanvasGradient, createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { clamp01 } from './random.ts'
import type { Box } from './view.ts'

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number]

/** Parses `#rrggbb`. */
export function parseHex(hex: string): Rgb {
  const channel = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [channel(1), channel(3), channel(5)]
}

/** Interpolates between two `#rrggbb` colours. An `amount` of 0 returns `from`, 1 returns `to`. */
export function mix(from: string, to: string, amount: number): string {
  const a = parseHex(from)
  const b = parseHex(to)
  const share = clamp01(amount)
  const channel = (i: 0 | 1 | 2) =>
    Math.round(a[i] + (b[i] - a[i]) * share)
      .toString(16)
      .padStart(2, '0')
  return `#${channel(0)}${channel(1)}${channel(2)}`
}

/** Converts a `#rrggbb` colour to `rgba()` with an alpha from 0 to 1. */
export function withAlpha(hex: string, alpha: number): string {
  const [red, green, blue] = parseHex(hex)
  return `rgba(${red},${green},${blue},${clamp01(alpha).toFixed(4)})`
}

/** Gradient stops: colours by offset, from 0 to 1. */
type Stops = Readonly<Record<number, string>>

/** Adds stops to a linear or radial gradient and returns it. */
export function addStops(gradient: CanvasGradient, stops: Stops): CanvasGradient {
  for (const [position, colour] of Object.entries(stops)) gradient.addColorStop(Number(position), colour)
  return gradient
}

/** Returns gradient stops of one `#rrggbb` colour, with an alpha from 0 to 1 for each offset. */
export const fading = (colour: string, opacities: Readonly<Record<number, number>>): Stops =>
  Object.fromEntries(Object.entries(opacities).map(([position, opacity]) => [position, withAlpha(colour, opacity)]))

export const verticalGradient = (context: SKRSContext2D, from: number, to: number, stops: Stops) =>
  addStops(context.createLinearGradient(0, from, 0, to), stops)

export const horizontalGradient = (context: SKRSContext2D, from: number, to: number, stops: Stops) =>
  addStops(context.createLinearGradient(from, 0, to, 0), stops)

type Ring = Readonly<{ x: number; y: number; inner?: number; radius: number }>

/** Returns a radial gradient between the concentric circles with radii `inner` and `radius`. */
export const radialGradient = (context: SKRSContext2D, { x, y, inner = 0, radius }: Ring, stops: Stops) =>
  addStops(context.createRadialGradient(x, y, inner, x, y, radius), stops)

/** Fills a radial glow. The last stop must be transparent, because the filled area is a square. */
export function fillGlow(context: SKRSContext2D, x: number, y: number, radius: number, stops: Stops): void {
  context.fillStyle = radialGradient(context, { x, y, radius }, stops)
  context.fillRect(x - radius, y - radius, radius * 2, radius * 2)
}

export function fillCircle(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.fill()
}

/** Fills an ellipse, rotated by `angle` radians. */
export function fillEllipse(context: SKRSContext2D, x: number, y: number, rx: number, ry: number, angle = 0): void {
  context.beginPath()
  context.ellipse(x, y, rx, ry, angle, 0, Math.PI * 2)
  context.fill()
}

/** Fills a polygon. */
export function fillPolygon(context: SKRSContext2D, ...points: readonly (readonly [x: number, y: number])[]): void {
  context.beginPath()
  for (const point of points) context.lineTo(...point)
  context.fill()
}

/** Traces the area below `surface`, which maps world x to world y, sampled every `step` up to `margin` past the box. */
export function traceGround(
  context: SKRSContext2D,
  { left, right, bottom }: Pick<Box, 'left' | 'right' | 'bottom'>,
  { step, margin }: Readonly<{ step: number; margin: number }>,
  surface: (x: number) => number,
): void {
  context.beginPath()
  context.moveTo(left, bottom)
  for (let x = left; x <= right + margin; x += step) context.lineTo(x, surface(x))
  context.lineTo(right, bottom)
}

/** Red, green, blue and alpha, 0 to 255. */
type Pixel = [number, number, number, number]

/** Sets the colour of the pixel at a world point. The pixel is initially transparent. */
type Shade = (x: number, y: number, pixel: Pixel) => void

const MAX_WIDTH = 1100

/**
 * Fills a box by running a shader per pixel, at `density` pixels per unit (at most that of the context), and scales the
 * result up smoothly. Use it for soft shapes, where overlapping faint canvas gradients would show a dither pattern.
 */
export function paintPixels(context: SKRSContext2D, box: Box, density: number, shade: Shade): void {
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
      // `Uint8ClampedArray` rounds and clamps the channels.
      image.data.set(pixel, (row * width + column) * 4)
    }
  }
  target.putImageData(image, 0, 0)
  context.imageSmoothingQuality = 'high'
  context.drawImage(canvas, box.left, box.top, boxWidth, boxHeight)
}
