import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { fading, fillGlow, horizontalGradient, mix, verticalGradient, withAlpha } from './paint.ts'
import type { TimeOfDay } from './palette.ts'
import { type Puppet, wave } from './puppets/puppet.ts'
import { type Stage, setPlane } from './stage.ts'
import type { Camera } from './view.ts'

export type Slot = 'air' | 'backdrop' | 'ground' | 'surface' | 'table'

/** A puppet with its part in a scene. */
export type Actor = Readonly<{
  puppet: Puppet
  slot: Slot
  verb: string
  /** World x halfway through the clip, and world y relative to the slot. */
  x: number
  lift: number
  scale: number
  /** 1 looks and moves to the right. */
  side: 1 | -1
  /** Seconds by which its cycle is ahead of the clip, so that copies do not move in step. */
  ahead: number
}>

/** Fastest speed in world units per second. A real gallop would scroll eleven frames past, which costs memory. */
const FASTEST = 0.5

/** Returns the speed in world units per second on the plane of the actor. */
export const speedOf = ({ puppet, verb, scale, side }: Actor) =>
  side * Math.min(FASTEST, (puppet.pace?.(verb) ?? 0) * puppet.size * scale)

type Way = Readonly<{ x: number; y: number; turn: number }>

function wayOf(actor: Actor, seconds: number, length: number): Way {
  const { verb, lift, side, ahead, puppet } = actor
  const t = seconds + ahead
  const x = actor.x + speedOf(actor) * (seconds - length / 2)
  switch (verb) {
    case 'fly':
      return { x, y: lift + 0.015 * wave(t * 0.27), turn: -0.04 * wave(t * 0.27 + 0.25) }
    case 'swim':
      return { x, y: lift + 0.018 * wave(t * 0.18), turn: -0.07 * wave(t * 0.18 + 0.25) }
    case 'sail':
      return { x, y: lift + 0.004 * wave(t * 0.3), turn: 0.02 * wave(t * 0.22) }
    case 'float':
      return { x, y: lift + 0.018 * wave(t * 0.18), turn: 0.05 * wave(t * 0.13) }
    case 'rise':
      return { x: x + 0.01 * wave(t * 0.2), y: lift + 0.16 - (0.3 * seconds) / length, turn: 0 }
    case 'land':
      return { x, y: lift - 0.26 * (1 - Math.min(1, (seconds / length) * 1.15)) ** 1.6, turn: 0 }
    case 'fall':
      return { x, y: lift - 0.45 * (1 - Math.min(1, (seconds / length) * 1.1) ** 2), turn: 0.3 * wave(t * 0.2) }
    case 'orbit':
      return { x: x + 0.4 * Math.cos(t * 0.6), y: lift + 0.1 * Math.sin(t * 0.6), turn: 0 }
    case 'jump': {
      if (puppet.habit !== 'sea') return { x, y: lift, turn: 0 }
      const arc = (t / 2.6 + 0.2) % 1
      return {
        x: x + side * (arc - 0.5) * 0.45,
        y: lift + 0.14 - 0.36 * Math.sin(arc * Math.PI),
        turn: -0.85 * Math.cos(arc * Math.PI),
      }
    }
    default:
      return { x, y: lift, turn: 0 }
  }
}

export type Ground = 'shadow' | 'reflection' | 'none'

/** How much of the scene's darkness is on a figure at an hour, and how bright the rim towards the light is. */
const LIGHT: Readonly<Record<TimeOfDay, readonly [shade: number, rim: number]>> = {
  day: [0.06, 0.4],
  dawn: [0.2, 0.7],
  sunset: [0.28, 0.75],
  night: [0.36, 0.55],
}

const INSIDE = new Set(['table', 'room'])

/** Adds an actor on the plane at `nearness`; `y` is the world y of its slot. */
export function addActor(stage: Stage, actor: Actor, nearness: number, y: number, ground: Ground): void {
  const { puppet, scale, side, ahead, verb } = actor
  const size = puppet.size * scale
  const [left, top, right, bottom] = puppet.box
  const isDark = stage.isNight || stage.description.time === 'sunset'
  const figure = createFigure(stage, actor, nearness)
  stage.drawables.push((context, camera, seconds) => {
    const pose = { seconds: seconds + ahead, verb, isDark }
    figure.paint(pose)
    const way = wayOf(actor, seconds, stage.seconds)
    const place = (mirror: number) => {
      setPlane(stage, context, camera, nearness)
      context.translate(way.x, y + way.y * mirror)
      context.scale(size * side, size * mirror)
      context.rotate(way.turn)
    }
    const height = Math.max(0, -way.y)
    if (ground === 'shadow')
      drawShadow(context, stage, camera, {
        nearness,
        x: way.x,
        y,
        size: (size * Math.min(1.6, right - left)) / 2.2 / (1 + height * 5),
      })
    if (ground === 'reflection' && verb !== 'jump') {
      place(-0.8)
      context.globalAlpha = 0.24
      context.drawImage(figure.canvas, left, top, right - left, bottom - top)
      context.globalAlpha = 1
    }
    place(1)
    context.drawImage(figure.canvas, left, top, right - left, bottom - top)
    if (!puppet.glow) return
    context.globalCompositeOperation = 'screen'
    puppet.glow(context, pose)
    context.globalCompositeOperation = 'source-over'
  })
}

/** Creates a canvas on which a puppet is painted and lit like cut paper: shaded below, with a lit edge towards the sun. */
function createFigure(stage: Stage, { puppet, scale, side, x }: Actor, nearness: number) {
  const [left, top, right, bottom] = puppet.box
  const pixels = Math.min(700, stage.viewport.height * puppet.size * scale * 1.1)
  const [width, height] = [right - left, bottom - top].map((units) => Math.max(4, Math.ceil(units * pixels))) as [
    number,
    number,
  ]
  const [canvas, edge] = [createCanvas(width, height), createCanvas(width, height)]
  const [pen, rim] = [canvas.getContext('2d'), edge.getContext('2d')]
  const { palette, description } = stage
  const [shade, glint] = LIGHT[INSIDE.has(description.place) && description.time !== 'night' ? 'day' : description.time]
  const dark = mix(palette.near, palette.ridge[3], 0.4)
  const towardsSun = (stage.sun.x < x ? -1 : 1) * side
  const haze = withAlpha(palette.haze, Math.max(0, 0.5 - nearness) * 0.7)
  const shadow = verticalGradient(pen, 0, height, { 0: withAlpha(dark, shade * 0.6), 1: withAlpha(dark, shade + 0.2) })
  const warmth = horizontalGradient(
    pen,
    towardsSun > 0 ? width : 0,
    towardsSun > 0 ? 0 : width,
    fading(palette.light, { 0: 0.24, 0.7: 0 }),
  )
  const step = pixels * 0.011
  const paint = (pose: Parameters<Puppet['paint']>[1]) => {
    pen.resetTransform()
    pen.globalCompositeOperation = 'source-over'
    pen.clearRect(0, 0, width, height)
    pen.setTransform(pixels, 0, 0, pixels, -left * pixels, -top * pixels)
    pen.save()
    puppet.paint(pen, pose)
    pen.restore()
    pen.resetTransform()
    rim.globalCompositeOperation = 'copy'
    rim.drawImage(canvas, 0, 0)
    rim.globalCompositeOperation = 'destination-out'
    rim.drawImage(canvas, -towardsSun * step, step)
    rim.globalCompositeOperation = 'source-in'
    rim.fillStyle = mix(palette.light, '#ffffff', 0.25)
    rim.fillRect(0, 0, width, height)
    pen.globalCompositeOperation = 'source-atop'
    for (const fill of haze.endsWith(',0.0000)') ? [shadow, warmth] : [shadow, warmth, haze]) {
      pen.fillStyle = fill
      pen.fillRect(0, 0, width, height)
    }
    pen.globalAlpha = glint
    pen.drawImage(edge, 0, 0)
    pen.globalAlpha = 1
  }
  return { canvas, paint }
}

type Shadow = Readonly<{ nearness: number; x: number; y: number; size: number }>

/** Draws a contact shadow that leans away from the sun. */
function drawShadow(context: SKRSContext2D, stage: Stage, camera: Camera, { nearness, x, y, size }: Shadow): void {
  setPlane(stage, context, camera, nearness)
  context.translate(x, y)
  context.scale(size, size * 0.13)
  const away = stage.sun.x < x ? 0.4 : -0.4
  fillGlow(context, 0, 0, 1, fading(stage.palette.near, { 0: 0.5, 0.6: 0.22, 1: 0 }))
  fillGlow(context, away, 0, 1.5, fading(stage.palette.near, { 0: 0.2, 1: 0 }))
}
