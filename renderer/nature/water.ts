import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { fading, fillEllipse, mix, verticalGradient, withAlpha } from '../paint.ts'
import type { Stage } from '../stage.ts'
import type { Camera } from '../view.ts'

export type Water = Readonly<{
  tint: string
  deep: string
  /** Ripple amplitude as a fraction of the frame size. */
  ripple?: number
  /** Opacity of the `deep` colour at the bottom of the frame, 0 to 1. */
  depth?: number
  /** Whether sunlight or moonlight glitters on the water; true by default. */
  glitter?: boolean
}>

/** Scale of the reflection relative to the frame. Half size is enough, because the ripples blur it. */
const MIRROR_SCALE = 0.5
/** Size of the drawn area relative to the frame, so that a rolled camera shows no gaps. */
const OVERSCAN = 1.06

/** Adds water below the horizon, which reflects all elements added before it. */
export function addWater(stage: Stage, water: Water): void {
  const { width, height, horizon } = stage.viewport
  const mirror = createCanvas(Math.ceil(width * MIRROR_SCALE), Math.ceil(height * MIRROR_SCALE))
  const reflection = mirror.getContext('2d', { alpha: false })
  const glints = water.glitter === false ? [] : createGlints(stage)
  stage.drawables.push((context, camera, seconds) => {
    const waterline = height / 2 + camera.zoom * height * (horizon - camera.tilt - camera.pedestal * 0.06)
    if (waterline >= height * OVERSCAN) return
    reflect(reflection, context.canvas, camera, waterline)
    // Rotate the water with the camera's roll.
    context.setTransform(1, 0, 0, 1, width / 2, height / 2)
    context.rotate(camera.roll)
    context.translate(-width / 2, -height / 2)
    drawRipples(context, mirror, water.ripple ?? 0.006, { waterline, seconds, width, height })
    const left = width * (1 - OVERSCAN)
    const wide = width * (2 * OVERSCAN - 1)
    context.fillStyle = verticalGradient(context, waterline, height, {
      0: withAlpha(water.tint, 0.1),
      0.35: withAlpha(mix(water.tint, water.deep, 0.5), 0.38),
      1: withAlpha(water.deep, water.depth ?? 0.72),
    })
    context.fillRect(left, waterline, wide, height * OVERSCAN - waterline)
    drawGlints(context, glints, stage, camera, { waterline, seconds })
    const haze = fading(stage.palette.haze, { 0: 0, 0.4: 0.5, 1: 0 })
    context.fillStyle = verticalGradient(context, waterline - 0.012 * height, waterline + 0.03 * height, haze)
    context.fillRect(left, waterline - 0.012 * height, wide, 0.042 * height)
  })
}

/** Draws a vertical reflection of the area above the waterline, with the camera's roll removed. */
function reflect(reflection: SKRSContext2D, source: SKRSContext2D['canvas'], camera: Camera, waterline: number): void {
  const { width, height } = source
  // Stretch the reflection if the frame shows more water than sky.
  const stretch = Math.max(1, ((height - waterline) / Math.max(1, waterline)) * 1.02)
  reflection.setTransform(MIRROR_SCALE, 0, 0, -MIRROR_SCALE * stretch, 0, MIRROR_SCALE * waterline * (1 + stretch))
  reflection.translate(width / 2, height / 2)
  reflection.rotate(-camera.roll)
  reflection.translate(-width / 2, -height / 2)
  reflection.drawImage(source, 0, 0)
}

type Surface = Readonly<{ waterline: number; seconds: number; width: number; height: number }>

/** Draws the reflection in horizontal strips, with fine ripples far away and wide ones nearby. */
function drawRipples(context: SKRSContext2D, mirror: SKRSContext2D['canvas'], ripple: number, surface: Surface): void {
  const { waterline, seconds, width, height } = surface
  const step = Math.max(2, Math.round(height / 320))
  const end = height * OVERSCAN
  for (let y = Math.max(0, Math.floor(waterline)); y < end; y += step) {
    const distance = (y - waterline) / Math.max(1, height - waterline)
    const period = 0.35 / (0.06 + distance)
    const phase = (y / height) * 768
    const sideways =
      (Math.sin(phase * 0.055 * period + seconds * 2.1) + 0.6 * Math.sin(phase * 0.045 * period - seconds * 3.3)) *
      (0.15 + 1.3 * distance)
    const up = Math.sin(phase * 0.1 * period - seconds * 2.7) * distance
    const lastRow = mirror.height - step * MIRROR_SCALE - 1
    const row = Math.min(lastRow, Math.max(0, (y + up * ripple * height * 0.8) * MIRROR_SCALE))
    context.drawImage(
      mirror,
      ...([0, row, mirror.width, step * MIRROR_SCALE + 0.5] as const),
      ...([sideways * ripple * width * 0.55 - width * 0.03, y, width * 1.06, step + 0.6] as const),
    )
  }
}

type Glint = Readonly<{ x: number; y: number; phase: number; speed: number; size: number }>

function createGlints(stage: Stage): Glint[] {
  const random = stage.random('glints')
  return Array.from({ length: 260 }, () => ({
    x: random.range(-0.5, 0.5) * (0.25 + random.next()),
    y: random.next() ** 1.7,
    phase: random.range(0, Math.PI * 2),
    speed: random.range(1.5, 4.5),
    size: random.next(),
  }))
}

/** Draws the glitter path below the sun or moon. */
function drawGlints(
  context: SKRSContext2D,
  glints: readonly Glint[],
  stage: Stage,
  camera: Camera,
  { waterline, seconds }: Readonly<{ waterline: number; seconds: number }>,
): void {
  const { width, height } = stage.viewport
  const centre = width / 2 + camera.zoom * height * (stage.sun.x - camera.pan - camera.truck * 0.02)
  context.globalCompositeOperation = 'screen'
  context.fillStyle = stage.palette.sun
  for (const { x, y, phase, speed, size } of glints) {
    const sparkle = Math.max(0, Math.sin(seconds * speed + phase))
    if (sparkle < 0.15) continue
    context.globalAlpha = sparkle * sparkle * (0.75 - 0.45 * y)
    fillEllipse(
      context,
      centre + x * height * (0.1 + 0.42 * y),
      waterline + y * (height - waterline) * 0.98 + 2,
      height * (0.004 + 0.026 * y) * (0.5 + size),
      height * 0.0011 * (1 + 2.2 * y),
    )
  }
  context.globalAlpha = 1
  context.globalCompositeOperation = 'source-over'
}
