import type { SKRSContext2D } from '@napi-rs/canvas'
import { horizontalGradient, mix, verticalGradient, withAlpha } from '../paint.ts'
import type { Random } from '../random.ts'
import { addLayer, drawOnPlane, type Stage, scatter } from '../stage.ts'

type Row = Readonly<{
  nearness: number
  /** World y of the ground. */
  base: number
  /** Typical size of a building, in units. */
  width: number
  height: number
  colour: string
  /** Fraction of the haze colour at the foot, 0 to 1. */
  haze: number
}>

type Rectangle = Readonly<{ x: number; y: number; width: number; height: number }>
type Light = Rectangle & Readonly<{ phase: number; cover: string }>

/** Context for painting the buildings of a row. Their flickering windows and signs are added to `lights`. */
type Site = Readonly<{ stage: Stage; context: SKRSContext2D; random: Random; row: Row; lights: Light[] }>

const WINDOW_COLOURS = ['#ffd48a', '#ffe9bd', '#ffb86b', '#b5dcff']
const NEON_COLOURS = ['#ff2e88', '#23e5ff', '#9d5bff', '#ffb02e', '#38ff9b']

/** Adds a row of buildings. Some windows turn on and off, and neon signs flicker. */
export function addBuildings(stage: Stage, row: Row): void {
  const { nearness, base, width, height } = row
  const lights: Light[] = []
  addLayer(stage, nearness, { bottom: base + 0.08, top: base - height * 1.5 }, (context, box) => {
    // Low blocks fill the gaps between the towers, so that the sky does not reach the ground.
    scatter(stage, `blocks${nearness}`, { ...box, spacing: width * 0.8 }, (x, random) => {
      paintBuilding({ stage, context, random, row, lights }, towerAt(x, random, row, 0.3))
    })
    scatter(stage, `towers${nearness}`, { ...box, spacing: width * 1.5 }, (x, random) => {
      paintBuilding({ stage, context, random, row, lights }, towerAt(x, random, row, 0.95))
    })
  })
  drawOnPlane(stage, nearness, (context, seconds) => {
    for (const { x, y, width: wide, height: high, phase, cover } of lights) {
      const flicker = Math.sin(seconds * 1.7 + phase) + 0.6 * Math.sin(seconds * 5.1 + phase * 3)
      if (flicker <= 1.1) continue
      context.fillStyle = cover
      context.fillRect(x, y, wide, high)
    }
  })
}

/** Returns the bounds of a tower, in world units. Towers are tallest at the centre of the scene. */
function towerAt(x: number, random: Random, { base, width, height }: Row, share: number): Rectangle {
  const high = height * share * random.range(0.5, 1) * (1 - 0.3 * Math.min(1, Math.abs(x) / 1.6))
  const wide = width * random.range(0.7, 1.25)
  return { x: x - wide / 2, y: base - high, width: wide, height: high + 0.08 }
}

function paintBuilding(site: Site, tower: Rectangle): void {
  const { stage, context, random, row } = site
  const { palette, description } = stage
  const { x, y, width, height } = tower
  const colour = mix(row.colour, palette.near, random.range(0, 0.22))
  const lit = mix(colour, palette.light, 0.2)
  const sunOnRight = stage.sun.x > x + width / 2
  context.fillStyle = verticalGradient(context, y, row.base, { 0: colour, 1: mix(colour, palette.haze, row.haze) })
  context.fillRect(x, y, width, height)
  paintRoof(context, random, tower)
  context.fillStyle = horizontalGradient(context, sunOnRight ? x + width : x, sunOnRight ? x : x + width, {
    0: withAlpha(lit, 0.55),
    0.25: withAlpha(lit, 0.08),
    1: withAlpha(palette.near, 0.28),
  })
  context.fillRect(x, y, width, height)
  paintWindows(site, tower, colour)
  const neon = description.neon ? 0.7 : stage.isNight ? 0.16 : 0
  if (row.nearness > 0.1 && random.chance(neon)) paintNeon(site, tower, colour)
}

function paintRoof(context: SKRSContext2D, random: Random, { x, y, width, height }: Rectangle): void {
  const kind = random.next()
  if (kind < 0.22) context.fillRect(x + width * 0.47, y - height * 0.16, width * 0.05, height * 0.16)
  if (kind > 0.15 && kind < 0.5) context.fillRect(x + width * 0.2, y - height * 0.045, width * 0.55, height * 0.05)
  if (kind > 0.5 && kind < 0.6) {
    context.beginPath()
    context.moveTo(x + width * 0.1, y + 0.001)
    context.lineTo(x + width * 0.5, y - width * 0.5)
    context.lineTo(x + width * 0.9, y + 0.001)
    context.fill()
  }
}

function paintWindows({ stage, context, random, row, lights }: Site, tower: Rectangle, colour: string): void {
  const isDay = stage.description.time === 'day'
  const wide = 0.0042 + 0.017 * row.nearness
  const high = wide * random.pick([0.9, 1.2, 1.6])
  const share = isDay ? 0.03 : random.range(0.18, 0.5)
  const tone = random.pick(WINDOW_COLOURS)
  const glass = withAlpha(
    isDay ? mix(stage.palette.sky[1], '#0d2238', 0.55) : mix(colour, stage.palette.near, 0.6),
    0.5,
  )
  const columns = Math.max(2, Math.floor((tower.width * 0.84) / (wide * 1.6)))
  const pitch = (tower.width * 0.84) / columns
  for (let y = tower.y + high * 0.9; y < row.base - high; y += high * 1.55) {
    for (let column = 0; column < columns; column++) {
      const x = tower.x + tower.width * 0.08 + column * pitch + (pitch - wide) / 2
      const isLit = random.chance(share)
      const strength = random.range(0.4, 0.95)
      const lamp = random.chance(0.85) ? tone : random.pick(WINDOW_COLOURS)
      context.fillStyle = isLit ? withAlpha(lamp, strength) : glass
      context.fillRect(x, y, wide, high)
      if (isLit && random.chance(0.02)) {
        lights.push({ x, y, width: wide, height: high, phase: random.range(0, 6.3), cover: withAlpha(colour, 0.8) })
      }
    }
  }
}

/** Paints a vertical neon sign with a glow and bars that suggest letters. */
function paintNeon({ stage, context, random, lights }: Site, tower: Rectangle, colour: string): void {
  const tone = random.pick(NEON_COLOURS)
  const width = Math.min(0.016, tower.width * 0.16)
  const height = Math.min(0.14, tower.height * random.range(0.2, 0.4))
  const x = tower.x + tower.width * random.range(0.1, 0.7)
  const y = tower.y + tower.height * random.range(0.12, 0.4)
  context.shadowColor = tone
  context.shadowBlur = 0.03 * stage.viewport.height
  context.fillStyle = tone
  context.fillRect(x, y, width, height)
  context.fillRect(x, y, width, height)
  context.shadowBlur = 0
  context.shadowColor = 'rgba(0,0,0,0)'
  context.fillStyle = 'rgba(255,255,255,0.78)'
  for (let letter = 0; letter < 6; letter++) {
    const inset = width * random.range(0.18, 0.34)
    context.fillRect(x + inset, y + height * (0.06 + 0.155 * letter), width - 2 * inset, height * 0.07)
  }
  lights.push({ x, y, width, height, phase: random.range(0, 6.3), cover: withAlpha(colour, 0.7) })
}
