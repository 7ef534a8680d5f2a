import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Camera, CameraPath } from '../backend/tasks/camera/contract.ts'

export type { Camera, CameraPath }

/** `width` and `height` are in pixels; `horizon` is the world y of the vanishing point. */
export type Viewport = Readonly<{ width: number; height: number; horizon: number }>

/** A rectangle in world units. */
export type Box = Readonly<{ left: number; right: number; top: number; bottom: number }>

/** Sets the transform of the context to world units on the plane at `nearness`. */
export function applyView(context: SKRSContext2D, camera: Camera, nearness: number, viewport: Viewport): void {
  const { width, height, horizon } = viewport
  const distance = 1 - camera.dolly * nearness
  const scale = camera.zoom * height
  const cos = Math.cos(camera.roll) * scale
  const sin = Math.sin(camera.roll) * scale
  const x = (-camera.truck * nearness) / distance - camera.pan
  const y = (-horizon - camera.pedestal * nearness) / distance + horizon - camera.tilt
  const [a, b] = [cos / distance, sin / distance]
  context.setTransform(a, b, -b, a, width / 2 + cos * x - sin * y, height / 2 + sin * x + cos * y)
}

type Point = readonly [x: number, y: number]

/** Returns the world point on the plane at `nearness` that projects to a pixel. */
export function screenToWorld(camera: Camera, nearness: number, viewport: Viewport, [pixelX, pixelY]: Point): Point {
  const { width, height, horizon } = viewport
  const distance = 1 - camera.dolly * nearness
  const scale = camera.zoom * height
  const cos = Math.cos(camera.roll)
  const sin = Math.sin(camera.roll)
  const a = (pixelX - width / 2) / scale
  const b = (pixelY - height / 2) / scale
  return [
    (cos * a + sin * b + camera.pan) * distance + camera.truck * nearness,
    (cos * b - sin * a - horizon + camera.tilt) * distance + horizon + camera.pedestal * nearness,
  ]
}

const SAMPLES = 240
const MARGIN = 0.02

/**
 * Returns the world bounds of the plane at `nearness` that are visible during the clip, and its maximum scale.
 * @param drift horizontal speed of the plane in units per second, which enlarges the bounds
 */
export function coverage(
  path: CameraPath,
  nearness: number,
  viewport: Viewport,
  seconds: number,
  drift = 0,
): Box & { pixelsPerUnit: number } {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, pixelsPerUnit: 0 }
  const { width, height } = viewport
  for (let sample = 0; sample <= SAMPLES; sample++) {
    const progress = sample / SAMPLES
    const camera = path(progress)
    box.pixelsPerUnit = Math.max(box.pixelsPerUnit, (camera.zoom * height) / (1 - camera.dolly * nearness))
    for (const corner of [0, 1, 2, 3]) {
      const pixel = [corner & 1 ? width : 0, corner & 2 ? height : 0] as const
      const [x, y] = screenToWorld(camera, nearness, viewport, pixel)
      const start = x - drift * progress * seconds
      box.left = Math.min(box.left, start - MARGIN)
      box.right = Math.max(box.right, start + MARGIN)
      box.top = Math.min(box.top, y - MARGIN)
      box.bottom = Math.max(box.bottom, y + MARGIN)
    }
  }
  return box
}
