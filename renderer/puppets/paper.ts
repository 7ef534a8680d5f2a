import { body, footOf, type Gait, type Habit, limb, type Pen, type Point, type Puppet, shine, wave } from './puppet.ts'
import { paintShapes, type Shape } from './shapes.ts'

type Light = readonly [x: number, y: number, radius: number, colour: string, strength: number, verb?: string]

/** A figure cut from paper. Its tones are `coat`, the colour of the figure, and `glass`, which is lit at night. */
export type Paper = Readonly<{
  habit: Habit
  size: number
  box: readonly [number, number, number, number]
  /** Shapes, or the name of the figure whose shapes it has. */
  parts: readonly Shape[] | string
  coat: string
  /** Colours by season. */
  seasons?: Readonly<Record<string, string>>
  /** What it does if the prompt names no verb. */
  verb?: string
  pace: number
  /** Lights, each of which may belong to a verb. */
  lights?: readonly Light[]
  /** Where steam or smoke rises. */
  steam?: Point
  /** Origin and length of a turning beam. */
  beam?: readonly [number, number, number]
  /** Where a rider sits, and the rider's height in units of this figure. */
  seat?: readonly [number, number, number]
  /** How it waddles on two feet, and their colour. */
  feet?: Readonly<{ gait: Gait; colour: string }>
  rails?: boolean
  grows?: boolean
}>

const MOVING = new Set(['drive', 'run', 'walk', 'sail', 'fly', 'swim', 'dance'])

export function paper(spec: Paper, parts: readonly Shape[], colour = spec.coat): Puppet {
  const moves = (verb: string) => MOVING.has(verb) && spec.pace > 0
  return {
    habit: spec.habit,
    size: spec.size,
    box: spec.steam ? [spec.box[0], Math.min(spec.box[1], spec.steam[1] - 0.85), spec.box[2], spec.box[3]] : spec.box,
    pace: (verb) => (moves(verb) ? spec.pace : 0),
    paint(pen, { seconds, verb, isDark }) {
      pen.save()
      if (spec.rails) paintRails(pen, spec.box)
      const grown = spec.grows && verb === 'grow' ? Math.min(1, 0.45 + seconds / 7) : 1
      pen.scale(grown, grown)
      if (moves(verb) && spec.habit === 'ground') pen.translate(0, 0.006 * wave(seconds * 3.5))
      if (spec.grows) pen.transform(1, 0, 0.03 * wave(seconds * 0.3), 1, 0, 0)
      if (spec.feet) paintFeet(pen, spec.feet, seconds, moves(verb))
      const tones = { coat: colour, glass: isDark ? '#ffe2a0' : '#33475c' }
      paintShapes(pen, parts, tones, { seconds, moves: moves(verb) })
      if (spec.steam) paintSteam(pen, spec.steam, seconds)
      pen.restore()
    },
    glow(pen, { seconds, verb, isDark }) {
      for (const [x, y, radius, tone, strength, when] of spec.lights ?? []) {
        if (when && when !== verb) continue
        const flicker = 0.93 + 0.07 * wave(seconds * 2.3)
        shine(pen, x, y, radius, tone, strength * flicker * (isDark || when ? 1 : 0.3))
      }
      if (spec.beam && isDark) paintBeam(pen, spec.beam, seconds)
    },
  }
}

/** Paints two feet, and rocks what is painted after them. */
function paintFeet(pen: Pen, { gait, colour }: NonNullable<Paper['feet']>, seconds: number, moves: boolean): void {
  pen.fillStyle = colour
  for (const leg of [0, 1]) {
    const [x, y] = moves ? footOf(gait, leg, seconds) : [leg * 0.12 - 0.05, 0]
    limb(pen, [x - 0.06, y - 0.03], 0.035, [x + 0.1, y - 0.02], 0.03)
  }
  pen.rotate(moves ? 0.09 * wave(seconds / gait.cycle) : 0.015 * wave(seconds * 0.3))
}

function paintSteam(pen: Pen, [x, y]: Point, seconds: number): void {
  for (let i = 0; i < 4; i++) {
    const rise = (seconds * 0.32 + i / 4) % 1
    const drift = (k: number) => 0.07 * wave(rise * 1.2 + k + i * 0.3)
    pen.fillStyle = `rgba(250,248,244,${0.42 * Math.sin(rise * Math.PI)})`
    const [left, top] = [x - 0.18 + i * 0.12, y - 0.1 - rise * 0.55]
    body(pen, [left, top + 0.14, 0.03], [left + drift(0.2), top, 0.06], [left + drift(0.5), top - 0.16, 0.02])
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
