import type { CanvasGradient, SKRSContext2D } from '@napi-rs/canvas'
import type { Box } from './view.ts'

/** A colour and its position on a gradient, from 0 to 1. */
export type Stop = readonly [position: number, colour: string]

function addStops(gradient: CanvasGradient, stops: readonly Stop[]): CanvasGradient {
  for (const [position, colour] of stops) gradient.addColorStop(position, colour)
  return gradient
}

export const verticalGradient = (context: SKRSContext2D, from: number, to: number, stops: readonly Stop[]) =>
  addStops(context.createLinearGradient(0, from, 0, to), stops)

export const horizontalGradient = (context: SKRSContext2D, from: number, to: number, stops: readonly Stop[]) =>
  addStops(context.createLinearGradient(from, 0, to, 0), stops)

/** Returns a gradient from a circle of radius `inner` outwards to `radius`. */
export const radialGradient = (
  context: SKRSContext2D,
  { x, y, inner = 0, radius }: Readonly<{ x: number; y: number; inner?: number; radius: number }>,
  stops: readonly Stop[],
) => addStops(context.createRadialGradient(x, y, inner, x, y, radius), stops)

/** Fills a round spot of light. The last stop should be transparent, because the filled area is a square. */
export function fillGlow(context: SKRSContext2D, x: number, y: number, radius: number, stops: readonly Stop[]): void {
  context.fillStyle = radialGradient(context, { x, y, radius }, stops)
  context.fillRect(x - radius, y - radius, radius * 2, radius * 2)
}

export function fillCircle(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.fill()
}

/** Fills an ellipse, turned by `angle` radians. */
export function fillEllipse(
  context: SKRSContext2D,
  x: number,
  y: number,
  radiusX: number,
  radiusY: number,
  angle = 0,
): void {
  context.beginPath()
  context.ellipse(x, y, radiusX, radiusY, angle, 0, Math.PI * 2)
  context.fill()
}

/** Traces the area below a surface: its world y for each world x, sampled every `step` up to `margin` past the box. */
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
