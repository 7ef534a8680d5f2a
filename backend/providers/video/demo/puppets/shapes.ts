import { readFileSync } from 'node:fs'
import { mix } from '../paint.ts'
import { body, limb, line, oval, type Pen, type Point, polygon, wave } from './puppet.ts'

/** A length, or one that swings: its middle, its reach, swings per second, and the share of a swing by which it is ahead. */
type Length = number | readonly [middle: number, reach: number, pace: number, ahead?: number]
type Place = readonly Length[]

/**
 * A shape of a figure: what it is, its colour, and its points. A `body` has points with half thicknesses, a `limb` two
 * with radii, an `oval` centre, radii and angle of each, a `cap` the centre, radius and angles of an arc, and a `line`
 * begins with its width. Colours are `#rrggbb`, or a tone of the figure that `-` darkens and `+` lightens.
 */
export type Shape = readonly [kind: 'body' | 'limb' | 'oval' | 'cap' | 'poly' | 'line', tone: string, ...Place[]]

/** Colours by the names that shapes use. */
export type Tones = Readonly<Record<string, string>>

function toneOf(name: string, tones: Tones): string {
  const shade = name.endsWith('-') ? '#1a1430' : name.endsWith('+') ? '#ffffff' : undefined
  const tone = tones[shade ? name.slice(0, -1) : name] ?? name
  return shade ? mix(tone, shade, 0.3) : tone
}

/** Paints shapes in the current transform at a moment of the figure. */
export function paintShapes(pen: Pen, shapes: readonly Shape[], tones: Tones, seconds: number): void {
  const at = (length: Length) =>
    typeof length === 'number' ? length : length[0] + length[1] * wave(seconds * length[2] + (length[3] ?? 0))
  for (const [kind, tone, ...places] of shapes) {
    const points = places.map((place) => place.map(at))
    pen.fillStyle = toneOf(tone, tones)
    if (kind === 'body') body(pen, ...(points as unknown as [number, number, number][]))
    if (kind === 'poly') polygon(pen, ...(points as unknown as Point[]))
    if (kind === 'line') line(pen, toneOf(tone, tones), points[0]![0]!, ...(points.slice(1) as unknown as Point[]))
    if (kind === 'oval') for (const [x, y, rx, ry, turn] of points) oval(pen, x!, y!, rx!, ry ?? rx, turn)
    if (kind === 'limb') {
      const [[ax, ay, from], [bx, by, to]] = points as [number[], number[]]
      limb(pen, [ax!, ay!], from!, [bx!, by!], to!)
    }
    if (kind !== 'cap') continue
    const [x, y, radius, from, to] = points[0]!
    pen.beginPath()
    pen.arc(x!, y!, radius!, from! * Math.PI, to! * Math.PI)
    pen.fill()
  }
}

/** Shapes of whole figures and heads. */
export const FIGURES: Readonly<Record<string, readonly Shape[]>> = JSON.parse(
  readFileSync(new URL('../rigs/figures.json', import.meta.url), 'utf8'),
)

/** Paints shapes around a point, in units of a size. */
export function paintShapesAt(
  pen: Pen,
  { shapes = [], at, size = 1 }: Readonly<{ shapes: readonly Shape[] | undefined; at: Point; size?: number }>,
  tones: Tones,
  seconds: number,
): void {
  pen.save()
  pen.translate(...at)
  pen.scale(size, size)
  paintShapes(pen, shapes, tones, seconds)
  pen.restore()
}
