import { Path2D } from '@napi-rs/canvas'
import { mix } from '../paint.ts'
import { body, limb, line, oval, type Pen, type Point, polygon, wave } from './puppet.ts'
import { loadRigs } from './rigs.ts'

/** A length, or one that swings: its middle, its reach, swings per second, and the share of a swing by which it is ahead. */
type Length = number | readonly [middle: number, reach: number, pace: number, ahead?: number]

/** How a path moves: it swings or spins around a point, turns edge-on like a rotor, pulses like a flame, or slides down. */
type Move = Readonly<{
  /** Pivot x and y, amplitude in radians, and swings per second. */
  turn?: readonly [number, number, number, number]
  /** Axis x and y, and turns per second. Above 0.2 it spins only while the figure moves. */
  spin?: readonly [number, number, number]
  flip?: readonly [number, number, number]
  /** Root x and y, and beats per second. */
  pulse?: readonly [number, number, number]
  /** Distance x and y, and slides per second. */
  slide?: readonly [number, number, number]
}>

/**
 * A shape of a figure: what it is, its colour, and its points. A `body` has points with half thicknesses, a `limb` two
 * with radii, an `oval` centre, radii and angle of each, a `cap` the centre, radius and angles of an arc, a `ring` centre,
 * radius and width, a `line` begins with its width, and a `path` is in SVG notation. Colours are `#rrggbb`, or a tone of
 * the figure that `-` darkens and `+` lightens, by 30 per cent or by the number that follows.
 */
export type Shape =
  | readonly [kind: 'body' | 'limb' | 'oval' | 'cap' | 'poly' | 'line' | 'ring', tone: string, ...(readonly Length[])[]]
  | readonly [kind: 'path', tone: string, path: string, move?: Move]

/** Colours by the names that shapes use. */
export type Tones = Readonly<Record<string, string>>

/** A moment of a figure: seconds into it, and whether it moves from its place. */
type Moment = Readonly<{ seconds: number; moves?: boolean }>

/** Shapes of whole figures, heads, hair and clothes. */
export const FIGURES = loadRigs<readonly Shape[]>('figures')

export function toneOf(name: string, tones: Tones): string {
  const [, base = name, shade, amount = '30'] = /^(\w+)([-+])(\d*)$/.exec(name) ?? []
  const tone = tones[base] ?? base
  return shade ? mix(tone, shade === '+' ? '#ffffff' : '#1a1430', Number(amount || 30) / 100) : tone
}

/** Paints shapes in the current transform. */
export function paintShapes(pen: Pen, shapes: readonly Shape[], tones: Tones, { seconds, moves = true }: Moment): void {
  const at = (length: Length) =>
    typeof length === 'number' ? length : length[0] + length[1] * wave(seconds * length[2] + (length[3] ?? 0))
  for (const shape of shapes) {
    const tone = toneOf(shape[1], tones)
    pen.fillStyle = tone
    if (shape[0] === 'path') {
      paintPath(pen, shape, { seconds, moves })
      continue
    }
    const [kind, , ...places] = shape
    // The kind says how many numbers a point has.
    const points = places.map((place) => {
      const [x = 0, y = 0, radius = 0, from = radius, to = 0] = place.map(at)
      return [x, y, radius, from, to] as const
    })
    const [first = NOWHERE, second = NOWHERE] = points
    const [x, y, radius, from, to] = first
    const flat = () => points.map(([x, y]): Point => [x, y])
    if (kind === 'body') body(pen, ...points.map(([x, y, half]) => [x, y, half] as const))
    if (kind === 'poly') polygon(pen, ...flat())
    if (kind === 'line') line(pen, tone, x, ...flat().slice(1))
    if (kind === 'oval') for (const point of points) oval(pen, ...point)
    if (kind === 'limb') limb(pen, [x, y], radius, [second[0], second[1]], second[2])
    if (kind === 'cap') arc(pen, x, y, radius, from * Math.PI, to * Math.PI).fill()
    if (kind !== 'ring') continue
    pen.strokeStyle = tone
    pen.lineWidth = from
    arc(pen, x, y, radius, 0, 2 * Math.PI).stroke()
  }
}

const NOWHERE = [0, 0, 0, 0, 0] as const

function arc(pen: Pen, ...args: [x: number, y: number, radius: number, from: number, to: number]): Pen {
  pen.beginPath()
  pen.arc(...args)
  return pen
}

const PATHS = new WeakMap<Shape, Path2D>()

function paintPath(pen: Pen, shape: Shape & { 0: 'path' }, { seconds, moves }: Required<Moment>): void {
  const path = PATHS.get(shape) ?? new Path2D(shape[2])
  PATHS.set(shape, path)
  const { turn, spin, flip, pulse, slide } = shape[3] ?? {}
  pen.save()
  const around = ([x, y]: readonly number[], change: () => void) => {
    pen.translate(x!, y!)
    change()
    pen.translate(-x!, -y!)
  }
  if (turn) around(turn, () => pen.rotate(turn[2] * wave(seconds * turn[3])))
  if (spin && (moves || spin[2] < 0.2)) around(spin, () => pen.rotate(seconds * spin[2] * Math.PI * 2))
  if (flip) around(flip, () => pen.scale(Math.max(0.15, Math.abs(wave(seconds * flip[2]))), 1))
  if (pulse)
    around(pulse, () => pen.scale(1 + 0.06 * wave(seconds * pulse[2] * 0.7), 1 + 0.12 * wave(seconds * pulse[2])))
  if (slide) pen.translate(0, ((seconds * slide[2]) % 1) * slide[1] - slide[1] / 2)
  pen.fill(path)
  pen.restore()
}

/** Paints shapes around a point, in units of a size. */
export function paintShapesAt(
  pen: Pen,
  {
    shapes = [],
    at,
    size = 1,
    turn = 0,
  }: Readonly<{ shapes: readonly Shape[] | undefined; at: Point; size?: number; turn?: number }>,
  tones: Tones,
  moment: Moment,
): void {
  pen.save()
  pen.translate(...at)
  pen.rotate(turn)
  pen.scale(size, size)
  paintShapes(pen, shapes, tones, moment)
  pen.restore()
}
