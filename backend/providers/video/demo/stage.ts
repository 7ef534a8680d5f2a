import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Palette } from './palette.ts'
import type { Description } from './prompt.ts'
import { createRandom, hashText, type Random } from './random.ts'
import { applyView, type Box, type Camera, type CameraPath, coverage, type Viewport } from './view.ts'

/** Draws one element of the scene, `seconds` into the clip. It may change the transform of the context but no other state. */
export type Drawable = (context: SKRSContext2D, camera: Camera, seconds: number) => void

/** The scene under construction: its description, the camera path, and the elements added so far. */
export type Stage = Readonly<{
  description: Description
  palette: Palette
  viewport: Viewport
  path: CameraPath
  /** Duration of the clip. */
  seconds: number
  /** Width divided by height. */
  aspect: number
  isNight: boolean
  /** Position of the sun or the moon, in world units. */
  sun: Readonly<{ x: number; y: number }>
  /** Offsets the noise, so that each seed has different mountains. */
  noiseSeed: number
  /** From back to front. */
  drawables: Drawable[]
  /** Returns a generator per name, so that elements do not influence each other. */
  random: (name: string) => Random
}>

/** Creates an empty stage. `horizon` is a world y. */
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

/** Sets the transform of the context to world units on the plane at `nearness`. */
export function setPlane(stage: Stage, context: SKRSContext2D, camera: Camera, nearness: number): void {
  applyView(context, camera, nearness, stage.viewport)
}

/** Adds an element that is drawn in every frame, in world units on the plane at `nearness`. */
export function drawOnPlane(
  stage: Stage,
  nearness: number,
  draw: (context: SKRSContext2D, seconds: number) => void,
): void {
  stage.drawables.push((context, camera, seconds) => {
    setPlane(stage, context, camera, nearness)
    draw(context, seconds)
  })
}

/** Returns the world box that the plane at `nearness` shows during the clip. */
export function visibleBox(stage: Stage, nearness: number, drift = 0): Box & { pixelsPerUnit: number } {
  return coverage(stage.path, nearness, stage.viewport, stage.seconds, drift)
}

/**
 * Calls `place` once per `spacing` between `left` and `right`. The random numbers of a place depend only on its position,
 * so that one seed looks the same under every camera movement.
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

/** A landscape: its horizon (world y), and a function that adds its elements from back to front. */
export type Scene = Readonly<{ horizon: number; compose: (stage: Stage) => void }>
