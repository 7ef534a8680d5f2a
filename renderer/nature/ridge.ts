import { mix, paintPixels, parseHex, traceGround } from '../paint.ts'
import { clamp01, fractalNoise, noise, ridgedNoise } from '../random.ts'
import { addLayer, type Stage, scatter } from '../stage.ts'
import { paintPine } from './plants.ts'

export type Ridge = Readonly<{
  nearness: number
  /** World y of the foot; `height` is the approximate height of the peaks above it. */
  base: number
  height: number
  /** Approximate number of peaks per unit. */
  frequency: number
  colour: string
  /** Fraction of the haze colour at the foot, 0 to 1. */
  haze: number
  hazeColour?: string
  /** Contrast between lit and shaded rock, 0 to 1. */
  relief: number
  snow?: boolean
  /** Scale of the trees on the crest, in units; undefined for no trees. */
  trees?: number
  bottom?: number
  /** Noise offset, so that the ridges of a scene differ. */
  variant: number
}>

/** Adds a mountain range: a silhouette, side-lit rock, optional snow above a ragged line, and haze at the foot. */
export function addRidge(stage: Stage, ridge: Ridge): void {
  const crest = crestOf(stage, ridge)
  const { nearness, bottom = Infinity, base, trees, variant, colour } = ridge
  addLayer(stage, nearness, { top: base - ridge.height * 1.9 - (trees ?? 0) * 4, bottom }, (context, box) => {
    context.save()
    traceGround(context, box, { step: 0.002, margin: 0 }, crest)
    context.clip()
    paintPixels(context, { ...box, top: base - ridge.height * 1.6 }, 330, rockShader(stage, ridge, crest))
    context.restore()
    if (!trees) return
    const needles = mix(colour, stage.palette.near, 0.15)
    scatter(stage, `ridge${variant}`, { ...box, spacing: trees * 0.62 }, (x, random) => {
      paintPine(context, random, { x, y: crest(x) + 0.012, height: trees * random.range(1.6, 3.6), colour: needles })
    })
  })
}

/** Returns a function that maps a world x to the world y of the crest. */
function crestOf({ noiseSeed }: Stage, ridge: Ridge): (x: number) => number {
  const { base, height, frequency, variant } = ridge
  return (x) => {
    const u = x * frequency + variant * 3.7 + 50 + 0.12 * (fractalNoise(x * 5, variant, noiseSeed, 3) - 0.5)
    const envelope = 0.3 + 0.9 * fractalNoise(x * frequency * 0.45 + variant * 9, 3, noiseSeed + variant + 5, 2)
    const peaks =
      0.62 * ridgedNoise(u * 0.9, variant * 1.3, noiseSeed + variant, 2) ** 1.15 +
      0.24 * ridgedNoise(u * 2.3, variant * 2.1, noiseSeed + variant + 3, 3) +
      0.14 * fractalNoise(u * 9, variant, noiseSeed + variant + 6, 4)
    return base - height * (peaks * envelope * 1.35 - 0.12)
  }
}

function rockShader(stage: Stage, ridge: Ridge, crest: (x: number) => number) {
  const { palette, noiseSeed, isNight } = stage
  const { base, height, frequency, relief, variant } = ridge
  const rock = parseHex(ridge.colour)
  const lit = parseHex(mix(ridge.colour, palette.light, 0.55))
  const dark = parseHex(mix(ridge.colour, palette.near, 0.5))
  const haze = parseHex(ridge.hazeColour ?? palette.haze)
  const snow = parseHex(mix(mix('#ffffff', palette.light, isNight ? 0.45 : 0.25), ridge.colour, isNight ? 0.45 : 0.12))
  const snowShade = parseHex(mix(ridge.colour, '#ffffff', isNight ? 0.15 : 0.42))
  // Sample noise relative to the crest, because gullies run down from it.
  const relievo = (x: number, y: number) => {
    const below = y - crest(x) * 0.7
    const warp = fractalNoise(x * frequency * 5, y * frequency * 6, noiseSeed + variant, 3) - 0.5
    const lean = 0.35 * Math.sin(x * frequency * 2.3 + variant)
    const u = (x + below * lean) * frequency * 5.5 + warp * 2.2
    const v = below * frequency * 4.6 + warp * 1.6
    return ridgedNoise(u, v, noiseSeed + 11 + variant, 5)
  }
  const side = stage.sun.x >= 0 ? 1 : -1
  const step = 0.012 / frequency
  return (x: number, y: number, pixel: [number, number, number, number]) => {
    const slope = relievo(x + side * step, y + step * 0.5) - relievo(x - side * step, y - step * 0.5)
    const light = clamp01(0.5 - slope * 1.9 * relief)
    const depth = clamp01((y - (base - height)) / (height * 1.05))
    const ragged = 0.3 * (noise(x * 46, y * 30, noiseSeed) - 0.5) + 0.3 * (noise(x * 11, 0, noiseSeed + 3) - 0.5)
    const line = base - height * (0.54 + ragged * 0.6)
    const cover = ridge.snow ? clamp01((line - y) / (height * 0.05)) * clamp01(light * 1.9 - 0.1) : 0
    const fade = ridge.haze * depth ** 1.3
    for (let i = 0; i < 3; i++) {
      const bare = light > 0.5 ? mixNumber(rock[i]!, lit[i]!, light * 2 - 1) : mixNumber(dark[i]!, rock[i]!, light * 2)
      const white = mixNumber(snowShade[i]!, snow[i]!, light)
      pixel[i] = mixNumber(mixNumber(bare, white, cover), haze[i]!, fade)
    }
    pixel[3] = 255
  }
}

const mixNumber = (from: number, to: number, amount: number) => from + (to - from) * amount
