import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { addStops, fillCircle, mix, paintPixels, parseHex, radialGradient, withAlpha } from '../paint.ts'
import { clamp01, fractalNoise, noise } from '../random.ts'
import { addLayer, drawOnPlane, type Stage, scatter, setPlane, visibleBox } from '../stage.ts'

const HUES = [
  ['#16204f', '#5a2a8a', '#d0508a', '#4fc3e8'],
  ['#0f2a4a', '#1f5d8a', '#3fb8a8', '#f2d08a'],
  ['#2a1436', '#8a2a4a', '#f2824f', '#7aa8ff'],
] as const

export function addNebula(stage: Stage): void {
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

type StarField = Readonly<{ nearness: number; spacing: number; radius: number }>

export function addStarField(stage: Stage, { nearness, spacing, radius }: StarField): void {
  const box = visibleBox(stage, nearness)
  const stars: { x: number; y: number; radius: number; brightness: number; phase: number }[] = []
  scatter(stage, `starField${nearness}`, { ...box, spacing }, (x, random) => {
    const brightness = random.next()
    stars.push({
      ...{ x, y: random.range(-1, 1), brightness },
      ...{ radius: radius * (0.35 + 0.65 * random.next() ** 2), phase: random.range(0, 6.3) },
    })
  })
  drawOnPlane(stage, nearness, (context, seconds) => {
    for (const { x, y, radius: size, brightness, phase } of stars) {
      if (y < box.top || y > box.bottom) continue
      context.globalAlpha = (0.4 + 0.6 * brightness) * (0.85 + 0.15 * Math.sin(seconds * 2 + phase))
      context.fillStyle = brightness > 0.88 ? '#ffe2c0' : brightness > 0.7 ? '#cfe3ff' : '#ffffff'
      fillCircle(context, x, y, size)
    }
    context.globalAlpha = 1
  })
}

export function addRocks(stage: Stage): void {
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
      // Light the rocks from the upper left, like the planet, regardless of their rotation.
      const shade = context.createRadialGradient(-radius * 0.5, -radius * 0.5, 0, 0, 0, radius * 1.2)
      context.fillStyle = addStops(shade, { 0: lit!, 1: dark! })
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

const PLANET_NEARNESS = 0.22

/** Adds a banded planet, lit from the upper left, usually with rings. */
export function addPlanet(stage: Stage): void {
  const random = stage.random('planet')
  const x = random.range(-0.42, 0.42)
  const y = random.range(-0.12, 0.1)
  const radius = random.range(0.21, 0.29)
  const tone = random.pick(['#d98c5f', '#6aa6d8', '#b98adf', '#d8c27a'])
  const hasRings = random.chance(0.75)
  const tilt = random.range(-0.5, -0.2)
  const ball = paintBall(stage, tone, Math.round(radius * stage.viewport.height * 2.2))
  drawOnPlane(stage, PLANET_NEARNESS, (context, seconds) => {
    drawAtmosphere(context, x, y, radius, tone)
    if (hasRings) drawRings(stage, context, { x, y, radius, tone, tilt, front: false })
    context.save()
    context.translate(x, y)
    context.rotate(tilt + seconds * 0.006)
    context.drawImage(ball, -radius, -radius, 2 * radius, 2 * radius)
    context.restore()
    if (hasRings) drawRings(stage, context, { x, y, radius, tone, tilt, front: true })
  })
}

function paintBall(stage: Stage, tone: string, size: number) {
  const canvas = createCanvas(size, size)
  const context = canvas.getContext('2d')
  const image = context.createImageData(size, size)
  const [dark, middle, bright] = [mix(tone, '#1a1033', 0.6), tone, mix(tone, '#fff4e0', 0.6)].map(parseHex)
  const rim = [0.6, 0.8, 1]
  const seed = stage.noiseSeed
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const u = ((column + 0.5) / size) * 2 - 1
      const v = ((row + 0.5) / size) * 2 - 1
      const fromCentre = u * u + v * v
      if (fromCentre > 1) continue
      const towards = Math.sqrt(1 - fromCentre)
      const longitude = Math.atan2(u, towards)
      const storms = fractalNoise(longitude * 2 + 9, v * 3, seed, 3) * 1.6
      const band = clamp01((fractalNoise(v * 7 + storms, longitude * 1.1, seed + 2, 5) - 0.3) * 2.3)
      const light = 0.03 + 1.05 * Math.max(0, -0.55 * u - 0.42 * v + 0.72 * towards) ** 0.85
      const at = (row * size + column) * 4
      for (let i = 0; i < 3; i++) {
        const colour =
          band < 0.5
            ? dark![i]! + (middle![i]! - dark![i]!) * band * 2
            : middle![i]! + (bright![i]! - middle![i]!) * (band * 2 - 1)
        image.data[at + i] = colour * light + (1 - towards) ** 3 * light * 150 * rim[i]!
      }
      image.data[at + 3] = 255 * Math.min(1, (1 - Math.sqrt(fromCentre)) * size * 0.25)
    }
  }
  context.putImageData(image, 0, 0)
  return canvas
}

/** Draws the atmospheric glow around the planet, brightest on the lit side. */
function drawAtmosphere(context: SKRSContext2D, x: number, y: number, radius: number, tone: string): void {
  context.globalCompositeOperation = 'screen'
  const glow = (whiteness: number, opacity: number) => withAlpha(mix(tone, '#bfe0ff', whiteness), opacity)
  const ring = { x: x - radius * 0.12, y: y - radius * 0.1, inner: radius * 0.85, radius: radius * 1.3 }
  context.fillStyle = radialGradient(context, ring, { 0: glow(0.5, 0.4), 0.4: glow(0.3, 0.12), 1: withAlpha(tone, 0) })
  context.fillRect(x - radius * 1.5, y - radius * 1.5, radius * 3, radius * 3)
  context.globalCompositeOperation = 'source-over'
}

type Rings = Readonly<{ x: number; y: number; radius: number; tone: string; tilt: number; front: boolean }>

function drawRings(stage: Stage, context: SKRSContext2D, { x, y, radius, tone, tilt, front }: Rings): void {
  context.save()
  context.translate(x, y)
  context.rotate(tilt)
  context.scale(1, 0.24)
  for (let ring = 0; ring < 22; ring++) {
    const strength = 0.1 + 0.42 * noise(ring * 1.1, 8, stage.noiseSeed)
    context.strokeStyle = withAlpha(mix(tone, '#ffeedd', 0.2 + 0.5 * noise(ring * 0.7, 3, stage.noiseSeed)), strength)
    context.lineWidth = radius * 0.033
    context.beginPath()
    context.arc(0, 0, radius * (1.3 + ring * 0.033), front ? 0 : Math.PI, front ? Math.PI : Math.PI * 2)
    context.stroke()
  }
  context.restore()
}
