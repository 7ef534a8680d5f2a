import type { SKRSContext2D } from '@napi-rs/canvas'
import { withAlpha } from '../colour.ts'
import { addLayer } from '../layer.ts'
import { fillCircle, radialGradient, verticalGradient } from '../shapes.ts'
import { drawOnPlane, type Stage, visibleBox } from '../stage.ts'
import type { Box } from '../view.ts'
import { addAurora } from './aurora.ts'
import { addClouds } from './clouds.ts'

const NEARNESS = 0.02

/** Adds the sky of an outdoor scene: gradient, sun or moon, stars, possibly an aurora, and clouds. */
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
  const stops = palette.sky.map((colour, i) => [(i / (palette.sky.length - 1)) ** 0.85, colour] as const)
  context.fillStyle = verticalGradient(context, -0.75, viewport.horizon + 0.04, stops)
  context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
}

function paintGlow({ palette, sun, isNight }: Stage, context: SKRSContext2D, box: Box): void {
  context.globalCompositeOperation = 'screen'
  for (const [radius, colour, strength] of [
    [isNight ? 0.6 : 0.95, palette.light, isNight ? 0.35 : 0.55],
    [isNight ? 0.2 : 0.3, palette.sun, isNight ? 0.4 : 0.8],
  ] as const) {
    context.fillStyle = radialGradient(context, { ...sun, radius }, [
      [0, withAlpha(colour, strength)],
      [0.35, withAlpha(colour, strength * 0.35)],
      [1, withAlpha(colour, 0)],
    ])
    context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
  }
  context.globalCompositeOperation = 'source-over'
}

function paintSun({ palette, sun }: Stage, context: SKRSContext2D): void {
  const radius = 0.055
  context.fillStyle = radialGradient(context, { ...sun, inner: radius * 0.8, radius }, [
    [0, palette.sun],
    [1, withAlpha(palette.sun, 0)],
  ])
  context.fillRect(sun.x - radius, sun.y - radius, radius * 2, radius * 2)
}

function paintMoon(stage: Stage, context: SKRSContext2D): void {
  const { palette, sun } = stage
  const radius = 0.045
  context.save()
  context.fillStyle = palette.sun
  fillCircle(context, sun.x, sun.y, radius)
  context.clip()
  const random = stage.random('moon')
  context.fillStyle = withAlpha('#7d93b8', 0.17)
  for (let sea = 0; sea < 9; sea++) {
    const [x, y] = [sun.x + random.range(-0.034, 0.034), sun.y + random.range(-0.034, 0.034)]
    fillCircle(context, x, y, random.range(0.004, 0.014))
  }
  context.restore()
}

const STARS_NEARNESS = 0.015

/** Adds twinkling stars above a world y. `count` applies to a frame of 2 × 1 units. */
function addStars(stage: Stage, count: number, lowest: number): void {
  const box = visibleBox(stage, STARS_NEARNESS)
  const random = stage.random('stars')
  // Spread over more than any movement shows, so that each movement shows the same stars.
  const stars = Array.from({ length: Math.round(count * 1.5) }, () => ({
    x: random.range(-1.5, 1.5),
    y: random.range(-0.95, lowest),
    radius: random.next() ** 2 * 0.0022 + 0.0006,
    phase: random.range(0, Math.PI * 2),
    speed: random.range(0.8, 3),
    brightness: random.next(),
  })).filter(({ x, y }) => x > box.left && x < box.right && Math.hypot(x - stage.sun.x, y - stage.sun.y) > 0.06)
  drawOnPlane(stage, STARS_NEARNESS, (context, seconds) => {
    for (const { x, y, radius, phase, speed, brightness } of stars) {
      context.globalAlpha = (0.35 + 0.65 * brightness) * (0.65 + 0.35 * Math.sin(seconds * speed + phase))
      context.fillStyle = brightness > 0.85 ? '#ffe2c0' : brightness > 0.7 ? '#bcd4ff' : '#ffffff'
      fillCircle(context, x, y, radius)
    }
    context.globalAlpha = 1
  })
}
