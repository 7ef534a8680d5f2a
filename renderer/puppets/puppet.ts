import type { SKRSContext2D } from '@napi-rs/canvas'
import { fading, fillEllipse, fillGlow, fillPolygon } from '../paint.ts'

export type Pen = SKRSContext2D
export type Point = readonly [x: number, y: number]

/** A moment of a puppet: seconds into its own cycle, what it does, and whether lamps are lit. */
export type Pose = Readonly<{ seconds: number; verb: string; isDark: boolean }>

/** Where a puppet belongs: on the ground, in the air, in or on water, on a table, or far behind. */
export type Habit = 'ground' | 'air' | 'sea' | 'surface' | 'table' | 'backdrop'

/** A paper-cut figure. It looks to the right, stands on the origin, is about one unit high, and y points down. */
export type Puppet = Readonly<{
  habit: Habit
  /** Height in world units on the plane of the actors. */
  size: number
  /** Bounds that it never leaves: left, top, right, bottom. */
  box: readonly [number, number, number, number]
  /** Speed in its own heights per second, at which its feet do not slide. */
  pace?: (verb: string) => number
  paint: (pen: Pen, pose: Pose) => void
  /** Paints its own lights, which are added to the lit figure. */
  glow?: (pen: Pen, pose: Pose) => void
}>

export const wave = (turns: number) => Math.sin(turns * Math.PI * 2)

/** Fills a limb between two points that is `from` and `to` units thick at its ends. */
export function limb(pen: Pen, a: Point, from: number, b: Point, to: number): void {
  const angle = Math.atan2(b[1] - a[1], b[0] - a[0])
  pen.beginPath()
  pen.arc(a[0], a[1], from, angle + Math.PI / 2, angle - Math.PI / 2)
  pen.arc(b[0], b[1], to, angle - Math.PI / 2, angle + Math.PI / 2)
  pen.fill()
}

/** Traces a soft body around a spine of points, each with half its thickness. */
export function traceBody(pen: Pen, spine: readonly (readonly [x: number, y: number, half: number])[]): void {
  const rims = [1, -1].map((side) =>
    spine.map(([x, y, half], i): Point => {
      const [before, after] = [spine[Math.max(0, i - 1)]!, spine[Math.min(spine.length - 1, i + 1)]!]
      const [dx, dy] = [after[0] - before[0], after[1] - before[1]]
      const length = Math.hypot(dx, dy) || 1
      return [x - (side * dy * half) / length, y + (side * dx * half) / length]
    }),
  )
  const rim = [...rims[0]!, ...rims[1]!.reverse()]
  const middle = (i: number): Point => {
    const [a, b] = [rim[i % rim.length]!, rim[(i + 1) % rim.length]!]
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
  }
  pen.beginPath()
  pen.moveTo(...middle(0))
  for (let i = 1; i <= rim.length; i++) pen.quadraticCurveTo(...rim[i % rim.length]!, ...middle(i))
}

export function body(pen: Pen, ...spine: readonly (readonly [number, number, number])[]): void {
  traceBody(pen, spine)
  pen.fill()
}

export const polygon = fillPolygon

export const oval = (pen: Pen, x: number, y: number, rx: number, ry = rx, angle = 0) =>
  fillEllipse(pen, x, y, rx, ry, angle)

export function line(pen: Pen, colour: string, width: number, ...points: readonly Point[]): void {
  pen.strokeStyle = colour
  pen.lineWidth = width
  pen.lineCap = 'round'
  pen.lineJoin = 'round'
  pen.beginPath()
  for (const point of points) pen.lineTo(...point)
  pen.stroke()
}

/** Paints a soft light of a `#rrggbb` colour. */
export const shine = (pen: Pen, x: number, y: number, radius: number, colour: string, strength: number) =>
  fillGlow(pen, x, y, radius, fading(colour, { 0: strength, 0.3: strength * 0.35, 1: 0 }))

/** Returns the joint between two bones that reach from `top` to `end`, bent to the side of `bend` (1 or -1). */
export function jointOf(top: Point, end: Point, upper: number, lower: number, bend: number): Point {
  const [dx, dy] = [end[0] - top[0], end[1] - top[1]]
  const reach = Math.min(Math.hypot(dx, dy), (upper + lower) * 0.999)
  const cos = (upper ** 2 + reach ** 2 - lower ** 2) / (2 * upper * reach)
  const angle = Math.atan2(dy, dx) - bend * Math.acos(Math.max(-1, Math.min(1, cos)))
  return [top[0] + Math.cos(angle) * upper, top[1] + Math.sin(angle) * upper]
}

/** How feet move: seconds per cycle, the share of it on the ground, the length of a step, and how high feet are lifted. */
export type Gait = Readonly<{ cycle: number; duty: number; step: number; lift: number; phases: readonly number[] }>

/** Returns the foot relative to the point below its hip. On the ground it moves back evenly, so that it does not slide. */
export function footOf({ cycle, duty, step, lift, phases }: Gait, leg: number, seconds: number): Point {
  const phase = (((seconds / cycle + phases[leg]!) % 1) + 1) % 1
  if (phase < duty) return [step * (0.5 - phase / duty), 0]
  const swing = (phase - duty) / (1 - duty)
  return [step * (swing * swing * (3 - 2 * swing) - 0.5), -lift * Math.sin(swing * Math.PI)]
}

export const paceOf = ({ step, duty, cycle }: Gait) => step / (duty * cycle)
