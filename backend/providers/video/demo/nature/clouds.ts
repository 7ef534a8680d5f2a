import { mix, parseHex } from '../colour.ts'
import { addLayer } from '../layer.ts'
import { paintPixels } from '../pixels.ts'
import { clamp01, fractalNoise } from '../random.ts'
import type { Stage } from '../stage.ts'

type CloudBank = Readonly<{
  nearness: number
  /** Units per second. */
  drift: number
  /** Share of the sky, 0 to 1. */
  cover: number
  top: number
  bottom: number
  /** Size of a cloud in units. */
  scale: number
  opacity: number
  variant: number
}>

/** Adds two banks of clouds, lit from the side of the sun, denser in rain and fog. */
export function addClouds(stage: Stage): void {
  const { weather } = stage.description
  const overcast = weather.includes('rain') || weather.includes('fog')
  const { horizon } = stage.viewport
  addBank(stage, overcast, {
    ...{ nearness: 0.03, drift: 0.006, scale: 0.26, variant: 1, top: -0.42, bottom: horizon - 0.01 },
    ...(overcast ? { cover: 0.68, opacity: 0.85 } : { cover: 0.52, opacity: 0.8 }),
  })
  addBank(stage, overcast, {
    ...{ nearness: 0.05, drift: 0.013, scale: 0.48, variant: 2, top: -0.85, bottom: -0.08 },
    ...(overcast ? { cover: 0.72, opacity: 0.9 } : { cover: 0.47, opacity: 0.75 }),
  })
}

function addBank(stage: Stage, overcast: boolean, bank: CloudBank): void {
  const { palette, isNight, sun, noiseSeed } = stage
  const lit = parseHex(isNight ? mix(palette.sky[3], '#ffffff', 0.1) : mix(palette.light, '#ffffff', 0.42))
  const shade = parseHex(mix(palette.sky[2], palette.sky[1], overcast ? 0.55 : 0.3))
  const density = (x: number, y: number) => {
    const u = x / bank.scale
    const v = (y / bank.scale) * 2.3
    const warp = fractalNoise(u * 0.7, v * 0.7, noiseSeed + bank.variant, 3) * 1.1
    return fractalNoise(u + warp, v, noiseSeed + bank.variant * 7, 6)
  }
  const { top, bottom, drift } = bank
  addLayer(stage, bank.nearness, { drift, top, bottom, detail: 0.5 }, (context, box) => {
    paintPixels(context, { ...box, top, bottom }, 300, (x, y, pixel) => {
      const here = density(x, y)
      const within = (y - top) / (bottom - top)
      const edge = Math.min(1, within * 5) * Math.min(1, (1 - within) * 3.2)
      const thickness = clamp01((here - (1 - bank.cover)) / 0.22)
      // Thinner in front of the sun.
      const veil = 1 - (overcast ? 0.2 : 0.8) * Math.exp(-(((x - sun.x) ** 2 + (y - sun.y) ** 2) / 0.012))
      const alpha = thickness * thickness * (3 - 2 * thickness) * edge * bank.opacity * veil
      if (alpha < 0.004) return
      const toSun = { x: sun.x - x, y: sun.y - y }
      const distance = Math.hypot(toSun.x, toSun.y) || 1
      // Brighter where the density decreases towards the sun.
      const ahead = density(x + (toSun.x / distance) * 0.03, y + (toSun.y / distance) * 0.022)
      const near = Math.exp(-distance * 2.4) * 0.5
      const brightness = Math.min(1, clamp01(0.5 + (here - ahead) * 5.5) * (0.75 + near) + near * 0.5)
      for (let i = 0; i < 3; i++) pixel[i] = shade[i]! + (lit[i]! - shade[i]!) * brightness
      pixel[3] = alpha * 255
    })
  })
}
