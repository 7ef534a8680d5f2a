import type { Ground, Slot } from '../actor.ts'
import { addRidge } from '../nature/ridge.ts'
import { addFog } from '../nature/sky.ts'
import { mix, paintPixels, parseHex, traceGround } from '../paint.ts'
import { clamp01, fractalNoise } from '../random.ts'
import { addLayer, type Stage } from '../stage.ts'

/** Adds the actors of a slot between the layers of a place; `y` is the world y of the ground. Returns whether there are any. */
export type Enter = (slot: Slot, nearness: number, y: number, ground?: Ground) => boolean

/**
 * A set: the world y of its horizon, and a function that adds its layers and actors from back to front. `slots` are those
 * that have actors.
 */
export type Place = Readonly<{
  horizon: number
  compose: (stage: Stage, enter: Enter, slots: ReadonlySet<Slot>) => void
}>

export const SNOW = '#eef2f8'

/** Returns the green of a row of plants, from 2 (far) to 4 (near), in the season and light of a scene. */
export function greenOf({ palette, isNight, description }: Stage, row: 2 | 3 | 4): string {
  const tone =
    description.season === 'autumn'
      ? '#b07a2e'
      : isNight
        ? '#123524'
        : description.season === 'spring'
          ? '#6bb046'
          : '#5a9a3e'
  return mix(palette.ridge[row], tone, 0.55)
}

/** Adds distant hills with trees on their crests. */
export function addHills(stage: Stage, height = 0.15): void {
  const { palette, viewport, description } = stage
  const base = viewport.horizon
  addRidge(stage, {
    ...{ nearness: 0.07, base, height, frequency: 1.2, variant: 1, bottom: base + 0.1 },
    ...{ colour: palette.ridge[0], haze: 0.75, relief: 0.7, snow: description.isSnowy },
  })
  addRidge(stage, {
    ...{ nearness: 0.12, base: base + 0.01, height: height * 0.6, frequency: 1.6, variant: 2, bottom: base + 0.1 },
    ...{
      colour: description.isSnowy ? mix(palette.ridge[1], SNOW, 0.4) : palette.ridge[1],
      haze: 0.6,
      relief: 0.5,
      trees: 0.006,
    },
  })
  addFog(stage, 0.14, { y: base, height: 0.03, density: 0.6 })
}

type Ground2D = Readonly<{ base: number; colour: string; low?: string; roll?: number; grain?: number; bottom?: number }>

/** Adds smooth ground: sand, snow, rock, asphalt or boards. It becomes `low` towards the bottom of the frame. */
export function addGround(
  stage: Stage,
  nearness: number,
  { base, colour, low, roll = 0.015, grain = 0.06, bottom }: Ground2D,
): void {
  const { palette, noiseSeed } = stage
  const top = parseHex(mix(colour, palette.light, 0.18))
  const foot = parseHex(low ?? mix(colour, palette.near, 0.4))
  const surface = (x: number) => base + roll * (Math.sin(x * 1.9 + nearness * 11) + 0.4 * Math.sin(x * 4.7 + noiseSeed))
  addLayer(stage, nearness, { top: base - roll * 1.5, ...(bottom !== undefined && { bottom }) }, (context, box) => {
    context.save()
    traceGround(context, box, { step: 0.02, margin: 0.02 }, surface)
    context.clip()
    paintPixels(context, box, 200, (x, y, pixel) => {
      const depth = clamp01((y - base) / 0.32)
      const noise = (fractalNoise(x * 9, y * 26, noiseSeed, 3) - 0.5) * grain * 255
      for (let i = 0; i < 3; i++) pixel[i] = top[i]! + (foot[i]! - top[i]!) * depth + noise
      pixel[3] = 255
    })
    context.restore()
  })
}

export function addSnowfield(stage: Stage, nearness: number, base: number, bottom?: number): void {
  const { palette, isNight } = stage
  const white = mix(mix(SNOW, palette.haze, 0.25), palette.ridge[2], isNight ? 0.5 : 0.08)
  addGround(stage, nearness, {
    base,
    colour: white,
    low: mix(white, palette.ridge[2], 0.45),
    ...(bottom !== undefined && { bottom }),
  })
}
