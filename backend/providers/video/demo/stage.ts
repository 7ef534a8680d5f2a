import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Palette } from './palette.ts'
import type { Description } from './prompt.ts'
import { createRandom, hashText, type Random } from './random.ts'
import { applyView, type Box, type Camera, type CameraPath, coverage, type Viewport } from './view.ts'

/** Draws one thing of the scene, `seconds` into the clip. It may leave any transformation behind, but no other state. */
export type Drawable = (context: SKRSContext2D, camera: Camera, seconds: number) => void

/** What a scene is built on: who asked for what, where the camera will go, and the things drawn so far. */
export type Stage = Readonly<{
  description: Description
  palette: Palette
  viewport: Viewport
  path: CameraPath
  /** Length of the clip. */
  seconds: number
  /** Width divided by height. */
  aspect: number
  isNight: boolean
  /** Where the sun or the moon stands, in world units. */
  sun: Readonly<{ x: number; y: number }>
  /** Shifts noise, so that each seed has its own mountains. */
  noiseSeed: number
  /** From back to front. */
  drawables: Drawable[]
  /** Its own numbers for each name: one thing's randomness does not change another's. */
  random: (name: string) => Random
}>

/** A stage with nothing on it. The horizon is a world y. */
export function createStage(
  description: Description,
  path: CameraPath,
  frame: Readonly<{ width: number; height: number; seconds: number; horizon: number }>,
): Stage {
  const aspect = frame.width / frame.height
  const random = (name: string) => createRandom(hashText(`${description.seed}/${name}`))
  return {
    description,
    palette: description.palette,
    viewport: { width: frame.width, height: frame.height, horizon: frame.horizon },
    path,
    seconds: frame.seconds,
    aspect,
    isNight: description.time === 'night',
    sun: { x: random('sun').range(-0.28, 0.28) * Math.min(aspect, 1.8), y: description.palette.sunHeight },
    noiseSeed: description.seed % 9973,
    drawables: [],
    random,
  }
}

/** Lets the context draw in world units on the plane at `nearness`. */
export function stand(stage: Stage, context: SKRSContext2D, camera: Camera, nearness: number): void {
  applyView(context, camera, nearness, stage.viewport)
}

/** The world rectangle that the plane at `nearness` shows during the clip. */
export function shownBox(stage: Stage, nearness: number, drift = 0): Box & { pixelsPerUnit: number } {
  return coverage(stage.path, nearness, stage.viewport, stage.seconds, drift)
}

/**
 * Places something in every `spacing` of a stretch of the world. Each place has its own random numbers that depend on
 * where it is, not on how much of the world is shown: one seed looks the same under every camera movement.
 */
export function scatter(
  stage: Stage,
  name: string,
  stretch: Readonly<{ left: number; right: number; spacing: number }>,
  place: (x: number, random: Random) => void,
): void {
  const { left, right, spacing } = stretch
  const seed = hashText(`${stage.description.seed}/${name}`)
  for (let cell = Math.floor(left / spacing) - 1; cell <= Math.ceil(right / spacing); cell++) {
    const random = createRandom(seed + Math.imul(cell, 0x9e3779b1))
    place((cell + random.next()) * spacing, random)
  }
}

/** A landscape: where its horizon lies (world y) and what it puts on a stage, from back to front. */
export type Scene = Readonly<{ horizon: number; compose: (stage: Stage) => void }>
