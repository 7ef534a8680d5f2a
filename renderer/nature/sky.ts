import type { SKRSContext2D } from '@napi-rs/canvas'
import {
  fading,
  fillCircle,
  mix,
  paintPixels,
  parseHex,
  radialGradient,
  verticalGradient,
  withAlpha,
} from '../paint.ts'
import { clamp01, fractalNoise } from '../random.ts'
import { addLayer, drawOnPlane, type Stage, visibleBox } from '../stage.ts'
import type { Box } from '../view.ts'
import { addAurora } from './aurora.ts'

const NEARNESS = 0.02

/** Adds the sky of an outdoor scene: gradient, sun or moon, clouds and, depending on the time, stars and an aurora. */
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
  const stops = Object.fromEntries(palette.sky.map((colour, i) => [(i / (palette.sky.length - 1)) ** 0.85, colour]))
  context.fillStyle = verticalGradient(context, -0.75, viewport.horizon + 0.04, stops)
  context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
}

function paintGlow({ palette, sun, isNight }: Stage, context: SKRSContext2D, box: Box): void {
  context.globalCompositeOperation = 'screen'
  for (const [radius, colour, strength] of [
    [isNight ? 0.6 : 0.95, palette.light, isNight ? 0.35 : 0.55],
    [isNight ? 0.2 : 0.3, palette.sun, isNight ? 0.4 : 0.8],
  ] as const) {
    context.fillStyle = radialGradient(
      context,
      { ...sun, radius },
      fading(colour, { 0: strength, 0.35: strength * 0.35, 1: 0 }),
    )
    context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
  }
  context.globalCompositeOperation = 'source-over'
}

function paintSun({ palette, sun }: Stage, context: SKRSContext2D): void {
  const radius = 0.055
  context.fillStyle = radialGradient(
    context,
    { ...sun, inner: radius * 0.8, radius },
    fading(palette.sun, { 0: 1, 1: 0 }),
  )
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

/** Adds twinkling stars above world y `lowest`. `count` is the number per 2 units of width. */
function addStars(stage: Stage, count: number, lowest: number): void {
  const box = visibleBox(stage, STARS_NEARNESS)
  const random = stage.random('stars')
  // Cover a wider area than any camera movement shows, so that the stars do not depend on the movement.
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

type CloudBank = Readonly<{
  nearness: number
  /** Horizontal speed in units per second. */
  drift: number
  /** Fraction of the sky that is covered, 0 to 1. */
  cover: number
  top: number
  bottom: number
  /** Typical size of a cloud in units. */
  scale: number
  opacity: number
  variant: number
}>

/** Adds two banks of clouds, lit from the direction of the sun and denser in rain and fog. */
function addClouds(stage: Stage): void {
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
      // Clouds are thinner in front of the sun.
      const veil = 1 - (overcast ? 0.2 : 0.8) * Math.exp(-(((x - sun.x) ** 2 + (y - sun.y) ** 2) / 0.012))
      const alpha = thickness * thickness * (3 - 2 * thickness) * edge * bank.opacity * veil
      if (alpha < 0.004) return
      const toSun = { x: sun.x - x, y: sun.y - y }
      const distance = Math.hypot(toSun.x, toSun.y) || 1
      // Clouds are brighter where the density decreases towards the sun.
      const ahead = density(x + (toSun.x / distance) * 0.03, y + (toSun.y / distance) * 0.022)
      const near = Math.exp(-distance * 2.4) * 0.5
      const brightness = Math.min(1, clamp01(0.5 + (here - ahead) * 5.5) * (0.75 + near) + near * 0.5)
      for (let i = 0; i < 3; i++) pixel[i] = shade[i]! + (lit[i]! - shade[i]!) * brightness
      pixel[3] = alpha * 255
    })
  })
}

export type FogBand = Readonly<{
  /** World y of the centre; `height` scales the vertical falloff. */
  y: number
  height: number
  /** Opacity at the centre, 0 to 1. Increased if the prompt mentions fog. */
  density: number
  /** Horizontal speed in units per second. */
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
