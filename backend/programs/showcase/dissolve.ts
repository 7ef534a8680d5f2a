import { type Canvas, createCanvas } from '@napi-rs/canvas'
import type { DrawFrame, Frame } from '#renderer/scene.ts'
import { FPS } from './shoot.ts'

/**
 * Returns the frames of a loop. What is left of the scene after `loopSeconds` dissolves into the beginning, because
 * clouds, water and birds do not loop.
 */
export function dissolving(draw: DrawFrame, frame: Frame, loopSeconds: number): (index: number) => Canvas {
  const [canvas, under] = [createCanvas(frame.width, frame.height), createCanvas(frame.width, frame.height)]
  const context = canvas.getContext('2d', { alpha: false })
  const overlap = frame.seconds - loopSeconds
  return (index) => {
    const seconds = index / FPS
    draw(context, seconds / frame.seconds)
    if (seconds < overlap) {
      draw(under.getContext('2d', { alpha: false }), (seconds + loopSeconds) / frame.seconds)
      context.globalAlpha = 1 - seconds / overlap
      context.drawImage(under, 0, 0)
      context.globalAlpha = 1
    }
    return canvas
  }
}
