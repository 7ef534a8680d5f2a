import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { fading, radialGradient } from './paint.ts'
import type { Biome, Description } from './prompt.ts'
import { desert } from './scenes/desert.ts'
import { forest } from './scenes/forest.ts'
import { city, field, mountain } from './scenes/landscapes.ts'
import { ocean } from './scenes/ocean.ts'
import { space } from './scenes/space.ts'
import { createStage, type Scene } from './stage.ts'
import type { CameraPath } from './view.ts'
import { addWeather } from './weather.ts'

const SCENES: Readonly<Record<Biome, Scene>> = { mountain, ocean, desert, field, forest, city, space }

/** Draws the frame at a progress from 0 (first frame) to 1 (last frame). */
export type DrawFrame = (context: SKRSContext2D, progress: number) => void

/** Frame size in pixels and clip duration in seconds. */
export type Frame = Readonly<{ width: number; height: number; seconds: number }>

/** Builds a scene. This takes about a second of CPU time; drawing a frame takes tens of milliseconds. */
export function buildScene(description: Description, path: CameraPath, frame: Frame): DrawFrame {
  const scene = SCENES[description.biome]
  const stage = createStage(description, path, { ...frame, horizon: scene.horizon })
  scene.compose(stage)
  addWeather(stage)
  const vignette = paintVignette(frame.width, frame.height)
  return (context, progress) => {
    const camera = path(progress)
    for (const draw of stage.drawables) draw(context, camera, progress * frame.seconds)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(vignette, 0, 0, frame.width, frame.height)
  }
}

/** Paints a vignette at a quarter of the frame size, which is sufficient because it has no sharp edges. */
function paintVignette(width: number, height: number): Canvas {
  const canvas = createCanvas(Math.ceil(width / 4), Math.ceil(height / 4))
  const context = canvas.getContext('2d')
  const { width: wide, height: high } = canvas
  const reach = Math.hypot(wide, high) * 0.57
  const ring = { x: wide / 2, y: high / 2, inner: high / 3, radius: reach }
  context.fillStyle = radialGradient(context, ring, fading('#04020e', { 0: 0, 1: 0.42 }))
  context.fillRect(0, 0, wide, high)
  return canvas
}
