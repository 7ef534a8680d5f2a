import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { mix, parseHex, withAlpha } from '../colour.ts'
import { clamp01, fractalNoise, noise } from '../random.ts'
import { radialGradient } from '../shapes.ts'
import { type Stage, setPlane } from '../stage.ts'

const NEARNESS = 0.22

/** Adds a banded planet, lit from the upper left, often with rings. */
export function addPlanet(stage: Stage): void {
  const random = stage.random('planet')
  const x = random.range(-0.42, 0.42)
  const y = random.range(-0.12, 0.1)
  const radius = random.range(0.21, 0.29)
  const tone = random.pick(['#d98c5f', '#6aa6d8', '#b98adf', '#d8c27a'])
  const hasRings = random.chance(0.75)
  const tilt = random.range(-0.5, -0.2)
  const ball = paintBall(stage, tone, Math.round(radius * stage.viewport.height * 2.2))
  stage.drawables.push((context, camera, seconds) => {
    setPlane(stage, context, camera, NEARNESS)
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

/** Draws a glow around the planet, brightest on the lit side. */
function drawAtmosphere(context: SKRSContext2D, x: number, y: number, radius: number, tone: string): void {
  context.globalCompositeOperation = 'screen'
  context.fillStyle = radialGradient(
    context,
    { x: x - radius * 0.12, y: y - radius * 0.1, inner: radius * 0.85, radius: radius * 1.3 },
    [
      [0, withAlpha(mix(tone, '#bfe0ff', 0.5), 0.4)],
      [0.4, withAlpha(mix(tone, '#bfe0ff', 0.3), 0.12)],
      [1, withAlpha(tone, 0)],
    ],
  )
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
