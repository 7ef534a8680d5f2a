import { mix, parseHex } from '../colour.ts'
import { addLayer } from '../layer.ts'
import { paintPixels } from '../pixels.ts'
import { fractalNoise } from '../random.ts'
import { fillCircle } from '../shapes.ts'
import { addPlanet } from '../space/planet.ts'
import { type Scene, type Stage, scatter, setPlane, visibleBox } from '../stage.ts'
import { addLedgeWithFigure } from '../subjects.ts'

/** A nebula, stars in several depths, a planet and drifting rocks. */
export const space: Scene = {
  horizon: 0,
  compose(stage) {
    addNebula(stage)
    addStarField(stage, { nearness: 0.02, spacing: 0.0045, radius: 0.0019 })
    addStarField(stage, { nearness: 0.12, spacing: 0.014, radius: 0.0028 })
    addPlanet(stage)
    addStarField(stage, { nearness: 0.35, spacing: 0.04, radius: 0.0034 })
    addRocks(stage)
    addLedgeWithFigure(stage)
  },
}

const HUES = [
  ['#16204f', '#5a2a8a', '#d0508a', '#4fc3e8'],
  ['#0f2a4a', '#1f5d8a', '#3fb8a8', '#f2d08a'],
  ['#2a1436', '#8a2a4a', '#f2824f', '#7aa8ff'],
] as const

function addNebula(stage: Stage): void {
  const [base, cloud, bright, rim] = stage.random('nebula').pick(HUES).map(parseHex)
  const seed = stage.noiseSeed
  addLayer(stage, 0.02, { detail: 0.6 }, (context, box) => {
    paintPixels(context, box, 320, (x, y, pixel) => {
      const [u, v] = [x * 1.7 + 4, y * 1.7 + 2]
      const warpX = fractalNoise(u, v, seed, 4)
      const warpY = fractalNoise(u + 5, v + 3, seed + 9, 4)
      const gas = fractalNoise(u + warpX * 2.4, v + warpY * 2.4, seed + 3, 6)
      const light = fractalNoise(u * 1.5 + warpY * 2, v * 1.5 - warpX, seed + 8, 5)
      const dust = fractalNoise(u * 2.2 - warpX * 2, v * 2.2 + warpY * 2, seed + 21, 5)
      const a = Math.max(0, gas - 0.36) * 2.4
      const b = Math.max(0, light - 0.42) * 3
      const shade = 1 - 0.75 * Math.min(1, Math.max(0, dust - 0.5) * 5)
      for (let i = 0; i < 3; i++) {
        const glow = base![i]! * (0.12 + a * 0.7) + cloud![i]! * a * a * 1.2 + bright![i]! * a * a * b * 1.4
        pixel[i] = 5 + shade * (glow + rim![i]! * a * b * b * 0.7)
      }
      pixel[3] = 255
    })
  })
}

function addStarField(
  stage: Stage,
  { nearness, spacing, radius }: Readonly<{ nearness: number; spacing: number; radius: number }>,
): void {
  const box = visibleBox(stage, nearness)
  const stars: { x: number; y: number; radius: number; brightness: number; phase: number }[] = []
  scatter(stage, `starField${nearness}`, { ...box, spacing }, (x, random) => {
    const brightness = random.next()
    stars.push({
      ...{ x, y: random.range(-1, 1), brightness },
      ...{ radius: radius * (0.35 + 0.65 * random.next() ** 2), phase: random.range(0, 6.3) },
    })
  })
  stage.drawables.push((context, camera, seconds) => {
    setPlane(stage, context, camera, nearness)
    for (const { x, y, radius: size, brightness, phase } of stars) {
      if (y < box.top || y > box.bottom) continue
      context.globalAlpha = (0.4 + 0.6 * brightness) * (0.85 + 0.15 * Math.sin(seconds * 2 + phase))
      context.fillStyle = brightness > 0.88 ? '#ffe2c0' : brightness > 0.7 ? '#cfe3ff' : '#ffffff'
      fillCircle(context, x, y, size)
    }
    context.globalAlpha = 1
  })
}

function addRocks(stage: Stage): void {
  const random = stage.random('rocks')
  const rocks = Array.from({ length: 16 }, () => ({
    x: random.range(-1.1, 1.1),
    y: random.range(-0.55, 0.55),
    radius: random.range(0.004, 0.017) * random.range(0.6, 1.4),
    nearness: random.range(0.4, 1),
    spin: random.range(-0.5, 0.5),
    corners: Array.from({ length: 11 }, () => random.range(0.68, 1.08)),
  }))
  const [lit, dark] = ['#8d8396', '#15121d'].map((tone) => mix(tone, '#5a4a6a', 0.1))
  stage.drawables.push((context, camera, seconds) => {
    for (const { x, y, radius, nearness, spin, corners } of rocks) {
      setPlane(stage, context, camera, nearness)
      context.translate(x + seconds * 0.012 * nearness, y)
      // Lit from the upper left like the planet, independent of the rotation.
      const shade = context.createRadialGradient(-radius * 0.5, -radius * 0.5, 0, 0, 0, radius * 1.2)
      shade.addColorStop(0, lit!)
      shade.addColorStop(1, dark!)
      context.fillStyle = shade
      context.beginPath()
      corners.forEach((reach, i) => {
        const angle = (i / corners.length) * Math.PI * 2 + spin * seconds
        context.lineTo(Math.cos(angle) * radius * reach, Math.sin(angle) * radius * reach)
      })
      context.closePath()
      context.fill()
    }
  })
}
