import { createCanvas, Path2D, type SKRSContext2D } from '@napi-rs/canvas'
import {
  addStops,
  fading,
  fillEllipse,
  mix,
  radialGradient,
  traceGround,
  verticalGradient,
  withAlpha,
} from './paint.ts'
import type { Subject } from './prompt.ts'
import { noise } from './random.ts'
import { paintCat, paintDog, paintPerson, type Silhouette } from './silhouettes.ts'
import { addLayer, drawOnPlane, type Stage, setPlane } from './stage.ts'

const FIGURES: Partial<Record<Subject, Readonly<{ paint: Silhouette; height: number }>>> = {
  cat: { paint: paintCat, height: 0.25 },
  dog: { paint: paintDog, height: 0.27 },
  person: { paint: paintPerson, height: 0.33 },
}

/** Adds the prompt's cat, dog or person, if any, with its feet at world y `footing`. */
export function addFigure(stage: Stage, nearness: number, footing: number): void {
  const { subject } = stage.description
  const figure = subject && FIGURES[subject]
  if (!figure) return
  const x = stage.random('figure').range(-0.12, 0.12)
  const sprite = createFigureSprite(stage, figure.paint, figure.height, stage.sun.x < x ? -1 : 1)
  drawOnPlane(stage, nearness, (context, seconds) => {
    sprite.redraw(seconds)
    context.translate(x, footing)
    drawContactShadow(context, figure.height)
    context.scale(figure.height, figure.height)
    context.drawImage(sprite.canvas, -0.6, -1.1, 1.2, 1.2)
    if (subject === 'cat') drawEyes(context, seconds)
  })
}

/** Creates the sprite of a dark figure with a rim light on the side of the light source. */
function createFigureSprite(stage: Stage, paint: Silhouette, height: number, lightSide: number) {
  const size = Math.ceil(stage.viewport.height * height * 1.2 * 2)
  const canvas = createCanvas(size, size)
  const context = canvas.getContext('2d')
  const body = mix(stage.palette.near, '#000000', 0.3)
  const scale = size / 1.2
  const fill = (colour: string, seconds: number, offset: number) => {
    context.setTransform(scale, 0, 0, scale, (0.6 + offset) * scale, (1.1 + Math.abs(offset) * 0.6) * scale)
    context.fillStyle = colour
    context.strokeStyle = colour
    paint(context, seconds)
  }
  const shade = createCanvas(size, size)
  const shadeContext = shade.getContext('2d')
  const redraw = (seconds: number) => {
    context.globalCompositeOperation = 'source-over'
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, size, size)
    fill(body, seconds, -lightSide * 0.011)
    shadeContext.clearRect(0, 0, size, size)
    shadeContext.drawImage(canvas, 0, 0)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, size, size)
    fill(mix(stage.palette.light, body, 0.15), seconds, 0)
    // The dark silhouette, offset away from the light, covers everything except a thin rim.
    context.globalCompositeOperation = 'source-atop'
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(shade, 0, 0)
  }
  return { canvas, redraw }
}

function drawContactShadow(context: SKRSContext2D, height: number): void {
  context.save()
  context.scale(1, 0.16)
  const spot = { x: 0, y: 0, radius: height * 0.45 }
  context.fillStyle = radialGradient(context, spot, fading('#000000', { 0: 0.55, 1: 0 }))
  context.fillRect(-height, -height, height * 2, height * 2)
  context.restore()
}

function drawEyes(context: SKRSContext2D, seconds: number): void {
  const isBlinking = seconds % 3.4 < 0.16
  if (isBlinking) return
  for (const side of [-1, 1]) {
    for (const [colour, width] of [
      ['#ffe27a', 0.026],
      ['#11110a', 0.008],
    ] as const) {
      context.fillStyle = colour
      fillEllipse(context, side * 0.068, -0.72, width, 0.025)
    }
  }
}

/** Adds the figure on a dark ledge, for scenes without ground in the foreground. */
export function addLedgeWithFigure(stage: Stage): void {
  const { subject } = stage.description
  if (!subject || !FIGURES[subject]) return
  const nearness = 0.82
  const level = 0.4
  const surface = (x: number) =>
    level + 0.35 * (Math.abs(x) / 1.1) ** 2.2 + 0.008 * noise(x * 20, 1, stage.noiseSeed) - 0.004
  addLayer(stage, nearness, { top: level - 0.05 }, (context, box) => {
    context.fillStyle = verticalGradient(context, level - 0.01, level + 0.12, {
      0: mix(stage.palette.near, stage.palette.light, 0.16),
      0.25: mix(stage.palette.near, '#000000', 0.2),
      1: mix(stage.palette.near, '#000000', 0.5),
    })
    traceGround(context, box, { step: 0.01, margin: 0.01 }, surface)
    context.fill()
  })
  addFigure(stage, nearness, level + 0.012)
}

/** Adds a sailing boat and its reflection, with the waterline at world y `y`. */
export function addBoat(stage: Stage, nearness: number, y: number, size = 0.62): void {
  const start = stage.random('boat').range(-0.32, 0.22)
  const { palette } = stage
  const hull = mix(palette.near, palette.ridge[3], 0.2)
  const sails = stage.isNight ? 0.55 : 0.05
  const mainSail = mix(mix('#fff6e6', palette.light, 0.3), palette.ridge[1], sails)
  const foreSail = mix(mix('#f2dcc8', palette.haze, 0.4), palette.ridge[1], sails)
  stage.drawables.push((context, camera, seconds) => {
    for (const mirrored of [true, false]) {
      setPlane(stage, context, camera, nearness)
      context.translate(start + seconds * 0.012, y + 0.003 * Math.sin(seconds * 1.6))
      context.scale(size, mirrored ? -size * 0.8 : size)
      if (mirrored) context.translate(0, -0.034)
      context.rotate(0.03 * Math.sin(seconds * 1.3))
      context.globalAlpha = mirrored ? 0.28 : 1
      paintBoat(context, hull, mainSail, foreSail)
    }
    context.globalAlpha = 1
  })
}

const HULL = new Path2D('M -.07 -.005 L .078 -.01 Q .055 .02 .03 .021 L -.045 .021 Z')

function paintBoat(context: SKRSContext2D, hull: string, mainSail: string, foreSail: string): void {
  context.fillStyle = hull
  context.fill(HULL)
  for (const [colour, top, side] of [
    [mainSail, -0.15, 1.1],
    [foreSail, -0.13, -0.95],
  ] as const) {
    const [mast, edge] = [side * 0.003, side * 0.055]
    context.fillStyle = colour
    context.fill(new Path2D(`M ${mast} ${top} Q ${edge} -.06 ${edge} -.018 L ${mast} -.015 Z`))
  }
  context.fillStyle = hull
  context.fillRect(-0.0015, -0.158, 0.003, 0.155)
}

/** Adds rising hot-air balloons if the prompt's subject is a balloon. */
export function addBalloons(stage: Stage): void {
  if (stage.description.subject !== 'balloon') return
  const random = stage.random('balloons')
  const schemes = [
    ['#d9483b', '#f6e7c8'],
    ['#2f6fb3', '#f2c14e'],
    ['#7a4fa3', '#f5a65b'],
  ] as const
  const balloons = [
    { nearness: 0.14, x: random.range(0.35, 0.6), y: -0.2, size: 0.05 },
    { nearness: 0.18, x: random.range(-0.65, -0.4), y: -0.13, size: 0.065 },
    { nearness: 0.34, x: random.range(-0.15, 0.12), y: -0.16, size: 0.14 },
  ]
  balloons.forEach(({ nearness, x, y, size }, i) => {
    const tones = schemes[i]!.map((tone) => mix(tone, stage.palette.ridge[1], stage.isNight ? 0.6 : 0.3 - size * 1.6))
    drawOnPlane(stage, nearness, (context, seconds) => {
      context.translate(x + 0.008 * seconds + 0.006 * Math.sin(seconds * 0.7 + i), y - 0.006 * seconds)
      context.scale(size, size)
      paintBalloon(context, stage, tones as [string, string], 0.25 + 0.15 * Math.sin(seconds * 3 + i))
    })
  })
}

const ENVELOPE = new Path2D(
  'M -.16 .92 C -.4 .6 -.86 .4 -.86 -.12 C -.86 -1.15 .86 -1.15 .86 -.12 C .86 .4 .4 .6 .16 .92 Z',
)
const ROPES = new Path2D('M -.13 .92 L -.104 1.22 M .13 .92 L .104 1.22')

function paintBalloon(context: SKRSContext2D, stage: Stage, tones: [string, string], glow: number): void {
  context.save()
  context.clip(ENVELOPE)
  context.fillStyle = tones[0]
  context.fillRect(-1, -1, 2, 2)
  for (const width of [0.74, 0.26]) {
    context.fillStyle = width > 0.5 ? tones[1] : tones[0]
    fillEllipse(context, 0, -0.1, width * 0.86, 1.25)
  }
  const side = stage.sun.x >= 0 ? 1 : -1
  const shade = context.createLinearGradient(side * 0.9, -0.3, -side * 0.9, 0.3)
  const { light, near } = stage.palette
  context.fillStyle = addStops(shade, { 0: withAlpha(light, 0.5), 0.45: withAlpha(near, 0), 1: withAlpha(near, 0.6) })
  context.fillRect(-1, -1, 2, 2)
  const flame = fading('#ffd27a', { 0: stage.isNight ? glow * 2.2 : glow, 1: 0 })
  context.fillStyle = radialGradient(context, { x: 0, y: 0.8, radius: 0.9 }, flame)
  context.fillRect(-1, -0.3, 2, 2)
  context.restore()
  context.strokeStyle = withAlpha(stage.palette.near, 0.7)
  context.lineWidth = 0.02
  context.stroke(ROPES)
  context.fillStyle = mix('#6b4a2b', stage.palette.near, 0.5)
  context.beginPath()
  context.roundRect(-0.13, 1.2, 0.26, 0.2, 0.04)
  context.fill()
}
