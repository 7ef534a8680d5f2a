import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { readPrompt } from '../reading/readPrompt.ts'
import { buildScene, type DrawFrame } from '../scene.ts'

/** A small frame size, so that tests can draw many frames. */
export const SIZE = { width: 128, height: 72, seconds: 6 }

/** Builds the scene of a prompt with camera movements. */
export const sceneOf = (prompt: string, movements: readonly string[], size = SIZE, seed = 7): Promise<DrawFrame> =>
  buildScene({ reading: readPrompt(prompt), seed, movements }, size)

/** Draws one frame over a background and returns its pixels. */
export function frameOf(draw: DrawFrame, progress: number, size = SIZE, background = '#000000'): Uint8ClampedArray {
  const context: SKRSContext2D = createCanvas(size.width, size.height).getContext('2d', { alpha: false })
  context.fillStyle = background
  context.fillRect(0, 0, size.width, size.height)
  draw(context, progress)
  return context.getImageData(0, 0, size.width, size.height).data
}

/** Returns the mean absolute difference between two frames per channel, 0 to 255. */
export const meanDifference = (a: Uint8ClampedArray, b: Uint8ClampedArray) =>
  a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / a.length
