import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import type { Description } from './description.ts'
import type { Palette } from './palette.ts'
import { createRandom, hashText, type Random } from './random.ts'
import { applyView, type Box, type Camera, type CameraPath, coverage, type Viewport } from './view.ts'

/** Draws one scene element, `seconds` into the clip. Must restore the context's alpha, blend mode and smoothing. */
type Drawable = (context: SKRSContext2D, camera: Camera, seconds: number) => void

/** A scene under construction: its description, camera path and the elements added so far. */
export type Stage = Readonly<{
  description: Description
  palette: Palette
  viewport: Viewport
  path: CameraPath
  /** Duration of the clip in seconds. */
  seconds: number
  /** Width divided by height. */
  aspect: number
  isNight: boolean
  /** Position of the sun or the moon, in world units. */
  sun: Readonly<{ x: number; y: number }>
  /** Seed of all noise functions, so that terrain and clouds differ between descriptions. */
  noiseSeed: number
  /** Scene elements from back to front. */
  drawables: Drawable[]
  /** Returns a random generator for a name, so that elements do not affect each other. */
  random: (name: string) => Random
}>

/** Creates an empty stage. `frame.horizon` is a world y. */
export function createStage(description: Description, path: CameraPath, frame: Viewport & { seconds: number }): Stage {
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

type DrawOnPlane = (context: SKRSContext2D, seconds: number) => void

/** Adds an element that is drawn in every frame, in world units on the plane at `nearness`. */
export function drawOnPlane(stage: Stage, nearness: number, draw: DrawOnPlane): void {
  stage.drawables.push((context, camera, seconds) => {
    setPlane(stage, context, camera, nearness)
    draw(context, seconds)
  })
}

/** Returns the world bounds of the plane at `nearness` that are visible during the clip, and its maximum scale. */
export function visibleBox(stage: Stage, nearness: number, drift = 0): Box & { pixelsPerUnit: number } {
  return coverage(stage.path, nearness, stage.viewport, stage.seconds, drift)
}

type Stretch = Readonly<{ left: number; right: number; spacing: number }>
type Place = (x: number, random: Random) => void

/**
 * Calls `place` once per interval of length `spacing` from `left` to `right`. Each interval has its own generator,
 * so that a seed produces the same scene under every camera movement.
 */
export function scatter(stage: Stage, name: string, { left, right, spacing }: Stretch, place: Place): void {
  const seed = hashText(`${stage.description.seed}/${name}`)
  for (let cell = Math.floor(left / spacing) - 1; cell <= Math.ceil(right / spacing); cell++) {
    const random = createRandom(seed + Math.imul(cell, 0x9e3779b1))
    place((cell + random.next()) * spacing, random)
  }
}

type LayerOptions = Readonly<{
  /** Horizontal speed to the right, in units per second. */
  drift?: number
  /** Amplitude of the wind at the top edge, as a fraction of the layer's height. */
  sway?: number
  /** World y of the top and bottom edges of the painted area. */
  top?: number
  bottom?: number
  /** Resolution relative to the frame. Layers with only soft shapes can use less than 1. */
  detail?: number
}>

/** Maximum resolution of a layer relative to the frame. A higher one uses memory without a visible gain. */
const MAX_MAGNIFICATION = 1.5

type Paint = (context: SKRSContext2D, box: Box) => void

/** Adds a layer that is painted once, in world units, and drawn in every frame. `paint` receives the box to fill. */
export function addLayer(stage: Stage, nearness: number, options: LayerOptions, paint: Paint): void {
  const { drift = 0, sway = 0, top = -Infinity, bottom = Infinity, detail = 1 } = options
  const shown = visibleBox(stage, nearness, drift)
  const box = { ...shown, top: Math.max(shown.top, top), bottom: Math.min(shown.bottom, bottom) }
  if (box.bottom <= box.top) return
  const lean = sway * 1.5 * (box.bottom - box.top)
  box.left -= lean
  box.right += lean
  const scale = Math.min(shown.pixelsPerUnit, stage.viewport.height * MAX_MAGNIFICATION) * detail
  // Smoothing fades the outermost pixels of a canvas, so they stay out of the frame.
  const margin = 2 / scale
  box.left -= margin
  box.right += margin
  if (box.top > top) box.top -= margin
  if (box.bottom < bottom) box.bottom += margin
  const pixels = (units: number) => Math.max(2, Math.ceil(units * scale))
  const canvas = createCanvas(pixels(box.right - box.left), pixels(box.bottom - box.top))
  const context = canvas.getContext('2d')
  context.setTransform(scale, 0, 0, scale, -box.left * scale, -box.top * scale)
  paint(context, box)
  const trimmed = trimEmptyRows(canvas)
  if (!trimmed) return
  const y = box.top + trimmed.firstRow / scale
  const height = trimmed.canvas.height / scale
  stage.drawables.push((target, camera, seconds) => {
    setPlane(stage, target, camera, nearness)
    target.translate(box.left + drift * seconds, y)
    if (sway) {
      const wind = sway * (Math.sin(seconds * 0.9 + nearness * 7) + 0.4 * Math.sin(seconds * 2.3 + nearness * 3))
      target.transform(1, 0, -wind, 1, wind * height, 0)
    }
    target.scale(1 / scale, 1 / scale)
    target.drawImage(trimmed.canvas, 0, 0)
  })
}

/** Crops transparent rows, which cost as much to blend as opaque ones. Returns undefined if no row remains. */
function trimEmptyRows(canvas: Canvas): { canvas: Canvas; firstRow: number } | undefined {
  const { width, height } = canvas
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer)
  const isEmpty = (row: number) => pixels.subarray(row * width, (row + 1) * width).every((pixel) => pixel >>> 24 === 0)
  let first = 0
  let end = height
  while (first < end && isEmpty(first)) first++
  while (end > first && isEmpty(end - 1)) end--
  if (first === end) return undefined
  first = Math.max(0, first - 2)
  end = Math.min(height, end + 2)
  if (end - first > height * 0.97) return { canvas, firstRow: 0 }
  const smaller = createCanvas(width, end - first)
  smaller.getContext('2d').drawImage(canvas, 0, first, width, end - first, 0, 0, width, end - first)
  return { canvas: smaller, firstRow: first }
}
