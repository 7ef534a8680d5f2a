import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { createCameraPath } from '../backend/tasks/camera/contract.ts'
import { type Actor, addActor, speedOf } from './actor.ts'
import { castOf } from './cast.ts'
import { describe } from './description.ts'
import { fading, radialGradient } from './paint.ts'
import * as indoors from './places/indoors.ts'
import * as land from './places/land.ts'
import type { Enter, Place } from './places/place.ts'
import * as town from './places/town.ts'
import * as waters from './places/waters.ts'
import * as woods from './places/woods.ts'
import { placeOf } from './reading/placeOf.ts'
import type { Reading } from './reading/readPrompt.ts'
import { createStage } from './stage.ts'
import type { CameraPath } from './view.ts'
import { addWeather } from './weather.ts'

const { stageHall, ...rooms } = indoors
/** The sets, by the names that the lexicon uses. */
export const PLACES: Readonly<Record<string, Place>> = {
  ...land,
  ...woods,
  ...waters,
  ...town,
  ...rooms,
  stage: stageHall,
}
const INDOORS = new Set(['table', 'room', 'stage', 'underwater', 'space'])

/** Draws the frame at a progress from 0 (first frame) to 1 (last frame). */
export type DrawFrame = (context: SKRSContext2D, progress: number) => void

/** Frame size in pixels and clip duration in seconds. */
export type Frame = Readonly<{ width: number; height: number; seconds: number }>

/** A take of a reading: the same seed gives the same frames, another seed another take. */
export type Take = Readonly<{ reading: Reading; seed: number; path?: CameraPath; movements?: readonly string[] }>

/** Builds a scene. This takes about a second of CPU time; drawing a frame takes tens of milliseconds. */
export async function buildScene({ reading, seed, movements = [], path }: Take, frame: Frame): Promise<DrawFrame> {
  const place = placeOf(reading)
  const set = PLACES[place]!
  const cast = await castOf(reading, place, seed)
  const camera = path ?? cameraFor(cast, movements, frame, seed)
  const stage = createStage(describe(reading, place, seed), camera, { ...frame, horizon: set.horizon })
  const enter: Enter = (slot, nearness, y, ground = 'none') => {
    const entering = cast.filter((actor) => actor.slot === slot)
    for (const actor of entering) addActor(stage, actor, nearness, y, slot === 'air' ? 'none' : ground)
    return entering.length > 0
  }
  set.compose(stage, enter, new Set(cast.map(({ slot }) => slot)))
  if (!INDOORS.has(place)) addWeather(stage)
  const vignette = paintVignette(frame.width, frame.height)
  return (context, progress) => {
    const view = camera(progress)
    for (const draw of stage.drawables) draw(context, view, progress * frame.seconds)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(vignette, 0, 0, frame.width, frame.height)
  }
}

/** Plane of the actors in most places, and how closely the camera keeps up with the fastest of them. */
const ACTORS_NEARNESS = 0.7
const KEEPING_UP = 0.85

/** Returns the chosen movements. Without any, the camera goes along with whoever runs, drives or flies. */
function cameraFor(cast: readonly Actor[], movements: readonly string[], frame: Frame, seed: number): CameraPath {
  const { width, height, seconds } = frame
  const path = createCameraPath(movements, { duration: seconds, aspect: width / height, seed })
  const speed = cast.map(speedOf).reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0)
  if (movements.length > 0 || Math.abs(speed) < 0.02) return path
  return (progress) => ({
    ...path(progress),
    truck: (KEEPING_UP * speed * seconds * (progress - 0.5)) / ACTORS_NEARNESS,
  })
}

/** Paints a vignette at a quarter of the frame size, which is sufficient because it has no sharp edges. */
function paintVignette(width: number, height: number): Canvas {
  const canvas = createCanvas(Math.ceil(width / 4), Math.ceil(height / 4))
  const context = canvas.getContext('2d')
  const { width: wide, height: high } = canvas
  const reach = Math.hypot(wide, high) * 0.57
  const ring = { x: wide / 2, y: high / 2, inner: high / 3, radius: reach }
  context.fillStyle = radialGradient(context, ring, fading('#04020e', { 0: 0, 1: 0.36 }))
  context.fillRect(0, 0, wide, high)
  return canvas
}
