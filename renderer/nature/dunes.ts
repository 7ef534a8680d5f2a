import { mix, paintPixels, parseHex, traceGround } from '../paint.ts'
import { clamp01, fractalNoise } from '../random.ts'
import { addLayer, type Stage } from '../stage.ts'

type Dune = Readonly<{ nearness: number; base: number; height: number; colour: string; variant: number }>

/** Adds a dune with a sharp crest that separates its lit slope from the shaded one. */
export function addDune(stage: Stage, dune: Dune): void {
  const { nearness, base, height, colour, variant } = dune
  const { palette, noiseSeed } = stage
  const wave = noiseSeed + variant * 2.1
  const crest = (x: number) =>
    base - height * (0.5 + 0.5 * Math.sin(x * 1.7 + wave)) * (0.65 + 0.35 * Math.sin(x * 0.9 + variant))
  const lit = parseHex(mix(colour, palette.light, stage.isNight ? 0.3 : 0.45))
  const shaded = parseHex(mix(colour, stage.isNight ? palette.near : mix('#5e3524', palette.ridge[3], 0.3), 0.55))
  const side = stage.sun.x >= 0 ? 1 : -1
  addLayer(stage, nearness, { top: base - height - 0.02 }, (context, box) => {
    context.save()
    traceGround(context, box, { step: 0.005, margin: 0.01 }, crest)
    context.clip()
    paintPixels(context, box, 420, (x, y, pixel) => {
      const below = y - crest(x)
      // The spine winds down from the top of the dune and separates the lit side from the shaded one.
      const spine = (x + side * below * 2.2 + 0.1 * Math.sin(below * 16 + wave)) * 1.7 + wave
      const slope = Math.sin(spine + side * 0.4)
      // The shading is sharp near the crest and softer further down.
      const edge = clamp01(0.5 + side * slope * (1.2 + 3 / (1 + below * 30)))
      const facing = 0.12 + 0.76 * edge * edge * (3 - 2 * edge) - below * 0.4 + 0.12 * slope * side
      const distance = 0.35 + below * 5
      const ripples = Math.sin(
        (below * 300) / (distance + nearness) + 9 * fractalNoise(x * 3.5, below * 6, noiseSeed, 3),
      )
      const grain = fractalNoise(x * 60, y * 60, noiseSeed + variant, 2) - 0.5
      const light = clamp01(facing + ripples * 0.06 * clamp01(below * 20) * (0.3 + nearness) + grain * 0.05)
      for (let i = 0; i < 3; i++) pixel[i] = shaded[i]! + (lit[i]! - shaded[i]!) * light
      pixel[3] = 255
    })
    context.restore()
  })
}
