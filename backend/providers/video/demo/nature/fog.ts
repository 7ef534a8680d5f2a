import { parseHex } from '../colour.ts'
import { addLayer } from '../layer.ts'
import { paintPixels } from '../pixels.ts'
import { fractalNoise } from '../random.ts'
import type { Stage } from '../stage.ts'

export type FogBand = Readonly<{
  /** World y of the middle, and the reach up and down. */
  y: number
  height: number
  /** Opacity in the middle, 0 to 1. Higher if the prompt mentions fog. */
  density: number
  /** Units per second. */
  drift?: number
}>

/** Adds a drifting band of mist. */
export function addFog(stage: Stage, nearness: number, band: FogBand): void {
  const { y, height, drift = 0.02 } = band
  const density = band.density * (stage.description.weather.includes('fog') ? 1.8 : 1)
  const reach = height * 2.4
  const colour = parseHex(stage.palette.haze)
  const variant = Math.round(nearness * 100)
  const bounds = { top: y - reach, bottom: y + reach }
  addLayer(stage, nearness, { drift, ...bounds, detail: 0.6 }, (context, box) => {
    paintPixels(context, { ...box, ...bounds }, 220, (pointX, pointY, pixel) => {
      const across = (pointY - y) / reach
      const falloff = Math.exp(-across * across * 5) * (1 - across * across)
      const wisps = fractalNoise(pointX * 2.2 + variant * 9, pointY * 7 + variant, stage.noiseSeed + variant, 4)
      pixel[0] = colour[0]
      pixel[1] = colour[1]
      pixel[2] = colour[2]
      pixel[3] = 255 * Math.min(0.9, Math.max(0, falloff * density * (0.25 + 1.1 * wisps)))
    })
  })
}
