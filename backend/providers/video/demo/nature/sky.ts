import type { SKRSContext2D } from '@napi-rs/canvas'
import { withAlpha } from '../colour.ts'
import { addLayer } from '../layer.ts'
import type { Stage } from '../stage.ts'
import type { Box } from '../view.ts'
import { addAurora } from './aurora.ts'
import { addClouds } from './clouds.ts'
import { addStars } from './stars.ts'

const NEARNESS = 0.02

/** The sky of an outdoor scene: its gradient, sun or moon, stars, perhaps an aurora, and clouds. */
export function addSky(stage: Stage): void {
  addLayer(stage, NEARNESS, {}, (context, box) => {
    paintGradient(stage, context, box)
    paintGlow(stage, context, box)
    if (stage.isNight) paintMoon(stage, context)
    else paintSun(stage, context)
  })
  if (stage.isNight) addStars(stage, 420, stage.viewport.horizon - 0.12)
  if (stage.description.time === 'sunset') addStars(stage, 80, -0.24)
  addAurora(stage)
  addClouds(stage)
}

function paintGradient({ palette, viewport }: Stage, context: SKRSContext2D, box: Box): void {
  const gradient = context.createLinearGradient(0, -0.75, 0, viewport.horizon + 0.04)
  palette.sky.forEach((colour, i) => {
    gradient.addColorStop((i / (palette.sky.length - 1)) ** 0.85, colour)
  })
  context.fillStyle = gradient
  context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
}

function paintGlow({ palette, sun, isNight }: Stage, context: SKRSContext2D, box: Box): void {
  context.globalCompositeOperation = 'screen'
  const halos = isNight
    ? ([
        [0.6, palette.light, 0.35],
        [0.2, palette.sun, 0.4],
      ] as const)
    : ([
        [0.95, palette.light, 0.55],
        [0.3, palette.sun, 0.8],
      ] as const)
  for (const [radius, colour, strength] of halos) {
    const gradient = context.createRadialGradient(sun.x, sun.y, 0, sun.x, sun.y, radius)
    gradient.addColorStop(0, withAlpha(colour, strength))
    gradient.addColorStop(0.35, withAlpha(colour, strength * 0.35))
    gradient.addColorStop(1, withAlpha(colour, 0))
    context.fillStyle = gradient
    context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
  }
  context.globalCompositeOperation = 'source-over'
}

function paintSun({ palette, sun }: Stage, context: SKRSContext2D): void {
  const radius = 0.055
  const gradient = context.createRadialGradient(sun.x, sun.y, radius * 0.8, sun.x, sun.y, radius)
  gradient.addColorStop(0, palette.sun)
  gradient.addColorStop(1, withAlpha(palette.sun, 0))
  context.fillStyle = gradient
  context.fillRect(sun.x - radius, sun.y - radius, radius * 2, radius * 2)
}

function paintMoon(stage: Stage, context: SKRSContext2D): void {
  const { palette, sun } = stage
  const radius = 0.045
  context.save()
  context.fillStyle = palette.sun
  context.beginPath()
  context.arc(sun.x, sun.y, radius, 0, Math.PI * 2)
  context.fill()
  context.clip()
  const random = stage.random('moon')
  context.fillStyle = withAlpha('#7d93b8', 0.17)
  for (let sea = 0; sea < 9; sea++) {
    context.beginPath()
    const [x, y] = [sun.x + random.range(-0.034, 0.034), sun.y + random.range(-0.034, 0.034)]
    context.arc(x, y, random.range(0.004, 0.014), 0, Math.PI * 2)
    context.fill()
  }
  context.restore()
}
