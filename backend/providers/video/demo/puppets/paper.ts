import { Path2D } from '@napi-rs/canvas'
import { mix } from '../paint.ts'
import { body, type Habit, line, type Pen, type Point, type Pose, type Puppet, shine, wave } from './puppet.ts'

/** How a part moves: it swings or spins around a point, pulses like a flame, slides down, or turns edge-on like a rotor. */
type Move = Readonly<{
  /** Pivot x and y, amplitude in radians, and swings per second. */
  turn?: readonly [number, number, number, number]
  /** Axis x and y, and turns per second. */
  spin?: readonly [number, number, number]
  flip?: readonly [number, number, number]
  /** Root x and y, and beats per second. */
  pulse?: readonly [number, number, number]
  /** Distance x and y, and slides per second. */
  slide?: readonly [number, number, number]
}>

/** A filled SVG path, a `line` of a colour, width and points, or a `ring` of centre, radius, width and colour. */
type Part =
  | readonly [fill: string, path: string, move?: Move]
  | readonly [kind: 'line', data: readonly (string | number)[]]
  | readonly [kind: 'ring', data: readonly [number, number, number, number, string]]

/** A figure cut from paper. `coat`, `coat-` and `coat+` are its colour and a darker and lighter shade; `glass` is lit at night. */
export type Paper = Readonly<{
  habit: Habit
  size: number
  box: readonly [number, number, number, number]
  parts: readonly Part[]
  coat: string
  /** What it does if the prompt names no verb. */
  verb: string
  pace: number
  /** Lights as x, y, radius, colour and strength. */
  lights?: readonly (readonly [number, number, number, string, number])[]
  /** Where steam or smoke rises. */
  steam?: Point
  /** Origin and length of a turning beam. */
  beam?: readonly [number, number, number]
  /** Where a rider sits, and the rider's height in units of this figure. */
  seat?: readonly [number, number, number]
  rails?: boolean
  grows?: boolean
}>

const MOVING = new Set(['drive', 'run', 'walk', 'sail', 'fly', 'swim', 'dance'])

export function paper(spec: Paper, colour = spec.coat): Puppet {
  const parts = spec.parts.map((part) => prepare(part, colour))
  const moves = (verb: string) => MOVING.has(verb) && spec.pace > 0
  return {
    habit: spec.habit,
    size: spec.size,
    box: spec.steam ? [spec.box[0], Math.min(spec.box[1], spec.steam[1] - 0.85), spec.box[2], spec.box[3]] : spec.box,
    pace: (verb) => (moves(verb) ? spec.pace : 0),
    paint(pen, pose) {
      pen.save()
      if (spec.rails) paintRails(pen, spec.box)
      const grown = spec.grows && pose.verb === 'grow' ? Math.min(1, 0.45 + pose.seconds / 7) : 1
      pen.scale(grown, grown)
      if (moves(pose.verb) && spec.habit === 'ground') pen.translate(0, 0.006 * wave(pose.seconds * 3.5))
      if (spec.grows) pen.transform(1, 0, 0.03 * wave(pose.seconds * 0.3), 1, 0, 0)
      for (const part of parts) part(pen, pose, moves(pose.verb))
      if (spec.steam) paintSteam(pen, spec.steam, pose.seconds)
      pen.restore()
    },
    glow(pen, { seconds, isDark }) {
      for (const [x, y, radius, tone, strength] of spec.lights ?? []) {
        shine(pen, x, y, radius, tone, strength * (isDark ? 1 : 0.3) * (0.93 + 0.07 * wave(seconds * 2.3)))
      }
      if (spec.beam && isDark) paintBeam(pen, spec.beam, seconds)
    },
  }
}

function prepare(part: Part, coat: string): (pen: Pen, pose: Pose, moves: boolean) => void {
  const tone = (fill: string) => {
    if (fill === 'coat') return coat
    if (fill === 'coat-') return mix(coat, '#140c1c', 0.3)
    return fill === 'coat+' ? mix(coat, '#ffffff', 0.3) : fill
  }
  if (part[0] === 'line') {
    const [fill, width, ...flat] = part[1] as [string, number, ...number[]]
    const points = Array.from({ length: flat.length / 2 }, (_, i): Point => [flat[2 * i]!, flat[2 * i + 1]!])
    return (pen) => line(pen, tone(fill), width, ...points)
  }
  if (part[0] === 'ring') {
    const [x, y, radius, width, fill] = part[1] as [number, number, number, number, string]
    const rim = Array.from(
      { length: 41 },
      (_, i): Point => [x + radius * Math.cos(i * 0.15708), y + radius * Math.sin(i * 0.15708)],
    )
    return (pen) => line(pen, fill, width, ...rim)
  }
  const [fill, path, move] = part as readonly [string, string, Move?]
  const shape = new Path2D(path)
  return (pen, { seconds, isDark }, moves) => {
    pen.fillStyle = fill === 'glass' ? (isDark ? '#ffe2a0' : '#33475c') : tone(fill)
    if (!move) return pen.fill(shape)
    pen.save()
    if (move.turn)
      around(pen, move.turn[0], move.turn[1], () => pen.rotate(move.turn![2] * wave(seconds * move.turn![3])))
    if (move.spin)
      around(pen, move.spin[0], move.spin[1], () =>
        pen.rotate(moves || move.spin![2] < 0.2 ? seconds * move.spin![2] * Math.PI * 2 : 0),
      )
    if (move.flip)
      around(pen, move.flip[0], move.flip[1], () =>
        pen.scale(Math.max(0.15, Math.abs(wave(seconds * move.flip![2]))), 1),
      )
    if (move.pulse)
      around(pen, move.pulse[0], move.pulse[1], () =>
        pen.scale(1 + 0.06 * wave(seconds * move.pulse![2] * 0.7), 1 + 0.12 * wave(seconds * move.pulse![2])),
      )
    if (move.slide) pen.translate(0, ((seconds * move.slide[2]) % 1) * move.slide[1] - move.slide[1] / 2)
    pen.fill(shape)
    pen.restore()
  }
}

function around(pen: Pen, x: number, y: number, turn: () => void): void {
  pen.translate(x, y)
  turn()
  pen.translate(-x, -y)
}

function paintSteam(pen: Pen, [x, y]: Point, seconds: number): void {
  for (let i = 0; i < 4; i++) {
    const rise = (seconds * 0.32 + i / 4) % 1
    const drift = (k: number) => 0.07 * wave(rise * 1.2 + k + i * 0.3)
    pen.fillStyle = `rgba(250,248,244,${0.42 * Math.sin(rise * Math.PI)})`
    const top = y - 0.1 - rise * 0.55
    body(
      pen,
      [x - 0.18 + i * 0.12, top + 0.14, 0.03],
      [x - 0.18 + i * 0.12 + drift(0.2), top, 0.06],
      [x - 0.18 + i * 0.12 + drift(0.5), top - 0.16, 0.02],
    )
  }
}

function paintRails(pen: Pen, [left, , right]: Paper['box']): void {
  pen.fillStyle = '#4a4048'
  pen.fillRect(left, -0.01, right - left, 0.03)
  for (let x = left; x < right; x += 0.22) pen.fillRect(x, 0.01, 0.1, 0.06)
}

function paintBeam(pen: Pen, [x, y, length]: readonly [number, number, number], seconds: number): void {
  const turn = Math.cos(seconds * 0.9)
  const light = pen.createLinearGradient(x, y, x + length * turn, y)
  light.addColorStop(0, 'rgba(255,244,196,.6)')
  light.addColorStop(1, 'rgba(255,244,196,0)')
  pen.fillStyle = light
  pen.beginPath()
  pen.moveTo(x, y)
  pen.lineTo(x + length * turn, y - 0.16)
  pen.lineTo(x + length * turn, y + 0.14)
  pen.fill()
}
