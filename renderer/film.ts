import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas'
import { describe } from './description.ts'
import { buildPhoto } from './photo.ts'
import { placeOf } from './reading/placeOf.ts'
import { readPrompt } from './reading/readPrompt.ts'
import { buildScene, type DrawFrame } from './scene.ts'

export type FilmRequest = Readonly<{
  prompt: string
  /** Sets everything that the prompt leaves open. */
  seed: number
  /** A picture to animate, as a JPEG or PNG file. Without it, a scene is generated from the prompt. */
  picture?: Uint8Array | undefined
  /** Camera movements, such as 推进. Only the first three are used. */
  movements: readonly string[]
  /** Such as `768P`. */
  resolution: string
  /** Seconds. */
  duration: number
}>

/** Longer side of a live frame, in pixels. */
const LIVE_SIZE = 480

/** Prepares a film. `draw` paints the frame at a progress of 0 to 1 on a canvas of `width` by `height` pixels. */
export async function openFilm(request: FilmRequest): Promise<{ width: number; height: number; draw: DrawFrame }> {
  const { prompt, picture, movements, resolution, duration: seconds, seed } = request
  const reading = readPrompt(prompt)
  if (picture) {
    const image = await loadImage(picture)
    const size = outputSize(resolution, image.width / image.height)
    const description = describe(reading, placeOf(reading), seed)
    return { ...size, draw: buildPhoto(image, description, movements, { ...size, seconds }) }
  }
  const size = outputSize(resolution)
  return { ...size, draw: await buildScene({ reading, seed, movements }, { ...size, seconds }) }
}

/** Returns a small JPEG of the canvas. */
export function liveFrame(canvas: Canvas): Uint8Array {
  const scale = LIVE_SIZE / Math.max(canvas.width, canvas.height)
  const small = createCanvas(Math.round(canvas.width * scale), Math.round(canvas.height * scale))
  small.getContext('2d').drawImage(canvas, 0, 0, small.width, small.height)
  return small.toBuffer('image/jpeg', 70)
}

/**
 * Returns the size of a video in pixels. The resolution sets the shorter side, and the aspect ratio, limited to 0.4 to
 * 2.5, sets the longer side. Both are even, as encoders require.
 */
export function outputSize(resolution: string, aspect = 16 / 9): { width: number; height: number } {
  const short = Number.parseInt(resolution, 10)
  const bounded = Math.min(2.5, Math.max(0.4, aspect))
  const even = (pixels: number) => 2 * Math.round(pixels / 2)
  return bounded >= 1
    ? { width: even(short * bounded), height: short }
    : { width: short, height: even(short / bounded) }
}
