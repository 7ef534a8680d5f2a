import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { addGrass, addTrunks } from '../nature/plants.ts'
import { addFog, addSky } from '../nature/sky.ts'
import { mix, verticalGradient, withAlpha } from '../paint.ts'
import type { Scene, Stage } from '../stage.ts'
import { addBalloons, addFigure } from '../subjects.ts'
import { applyView } from '../view.ts'

/** Rows of tall trees with mist between them, and shafts of sunlight or moonlight. */
export const forest: Scene = {
  horizon: 0.1,
  compose(stage) {
    const { palette, viewport } = stage
    const { horizon } = viewport
    const bark = (closeness: number) => mix(mix(palette.haze, '#8fb59a', 0.4), palette.near, closeness)
    addSky(stage)
    addBalloons(stage)
    addFog(stage, 0.08, { y: horizon + 0.05, height: 0.2, density: 1 })
    const rows = [
      { nearness: 0.1, density: 11, closeness: 0.14, foliage: -0.02 },
      { nearness: 0.18, density: 8, closeness: 0.32, foliage: -0.1 },
      { nearness: 0.32, density: 5, closeness: 0.55, foliage: -0.17 },
      { nearness: 0.55, density: 3, closeness: 0.78, foliage: -0.22, clearing: 0.3 },
    ]
    rows.forEach(({ nearness, density, closeness, foliage, clearing = 0 }, i) => {
      addTrunks(stage, { nearness, density, foliage, clearing, colour: bark(closeness) })
      if (i > 0)
        addFog(stage, nearness + 0.02, { y: horizon + 0.12 + 0.05 * i, height: 0.13, density: 0.75, drift: 0.025 })
    })
    addRays(stage)
    const grass = (tone: string) => mix(palette.near, tone, 0.5)
    addGrass(stage, 0.6, { base: horizon + 0.22, length: 0.05, colour: grass('#2a5230'), density: 520 })
    addFigure(stage, 0.7, horizon + 0.29)
    addGrass(stage, 0.74, { base: horizon + 0.33, length: 0.05, colour: grass('#1e3a24'), density: 320 })
    addTrunks(stage, { nearness: 1, density: 1.3, clearing: 0.5, foliage: -0.3, colour: palette.near })
    addGrass(stage, 1, { base: 0.47, length: 0.12, colour: palette.near, density: 320 })
  },
}

/** Scale of the canvas for the rays, which have no sharp edges. Rendering takes a tenth of the full-size time. */
const RAY_SCALE = 0.25

/** Adds shafts of light between the trunks. */
function addRays(stage: Stage): void {
  const { sun, palette, isNight, viewport } = stage
  const random = stage.random('rays')
  const side = sun.x > 0 ? 1 : -1
  const strength = isNight ? 0.5 : 1
  const rays = Array.from({ length: 6 }, () => ({
    x: sun.x + random.range(-0.5, 0.5),
    width: random.range(0.03, 0.1),
    phase: random.range(0, Math.PI * 2),
    slant: side * random.range(0.3, 0.55),
  }))
  const small = { ...viewport, width: viewport.width * RAY_SCALE, height: viewport.height * RAY_SCALE }
  const canvas = createCanvas(Math.ceil(small.width), Math.ceil(small.height))
  const sheet = canvas.getContext('2d')
  stage.drawables.push((context, camera, seconds) => {
    sheet.resetTransform()
    sheet.clearRect(0, 0, canvas.width, canvas.height)
    applyView(sheet, camera, 0.3, small)
    for (const ray of rays) {
      const light = (0.13 + 0.07 * Math.sin(seconds * 0.7 + ray.phase)) * strength
      paintRay(sheet, ray, withAlpha(palette.light, light * 0.6), withAlpha(palette.light, 0))
    }
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalCompositeOperation = 'screen'
    context.drawImage(canvas, 0, 0, canvas.width / RAY_SCALE, canvas.height / RAY_SCALE)
    context.globalCompositeOperation = 'source-over'
  })
}

type Ray = Readonly<{ x: number; width: number; slant: number }>

/** Paints a ray that is brightest at the top and along its centre line. */
function paintRay(context: SKRSContext2D, { x, width, slant }: Ray, bright: string, none: string): void {
  context.fillStyle = verticalGradient(context, -0.75, 0.4, { 0: bright, 1: none })
  for (const share of [1, 0.66, 0.33]) {
    context.beginPath()
    context.moveTo(x - width * 0.4 * share, -1)
    context.lineTo(x + width * 0.4 * share, -1)
    context.lineTo(x + width * 1.6 * share - slant, 0.45)
    context.lineTo(x - width * 1.2 * share - slant, 0.45)
    context.fill()
  }
}
