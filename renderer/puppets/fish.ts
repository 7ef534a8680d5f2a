import { mix } from '../paint.ts'
import { body, limb, oval, type Pen, type Point, type Pose, type Puppet, polygon, wave } from './puppet.ts'

export type Fish = Readonly<{
  size: number
  back: string
  belly: string
  /** Half thicknesses from nose to tail. */
  girth: readonly number[]
  tail: 'fluke' | 'fan' | 'sickle'
  fin?: number
  beak?: number
  bands?: string
}>

/** Fish and whales: a body that bends in a wave, which grows towards the tail. */
export function fish(spec: Fish): Puppet {
  return {
    habit: 'sea',
    size: spec.size,
    box: [-1.2, -0.65, 1.1 + (spec.beak ?? 0), 0.65],
    pace: () => 0.35,
    paint: (pen, pose) => paintFish(pen, spec, pose),
  }
}

function paintFish(pen: Pen, spec: Fish, { seconds }: Pose): void {
  const { girth, back, belly } = spec
  const last = girth.length - 1
  const bend = (k: number) => wave(seconds * 0.55 - k * 0.4) * 0.13 * k * k
  const at = (k: number): Point => [0.85 - 1.65 * k, bend(k)]
  const spine = girth.map((half, i) => [...at(i / last), half] as const)
  paintTail(pen, spec, at(1), bend(1) - bend(0.85))
  if (spec.fin) polygon(pen, [0.15, -girth[2]! * 0.8], [-0.16, -girth[2]! - spec.fin], [-0.28, -girth[3]! * 0.75])
  pen.fillStyle = back
  body(pen, ...spine)
  if (spec.beak)
    limb(pen, [0.8, 0.02], spec.beak > 0.3 ? 0.05 : 0.1, [0.85 + spec.beak, 0.07], spec.beak > 0.3 ? 0.01 : 0.04)
  pen.save()
  pen.beginPath()
  pen.rect(-1.2, 0.06, 2.4, 1)
  pen.clip()
  pen.fillStyle = belly
  body(pen, ...spine.map(([x, y, half]) => [x, y + 0.012, half * 0.97] as const))
  pen.restore()
  pen.fillStyle = spec.bands ?? back
  if (spec.bands) {
    for (const k of [0.25, 0.5, 0.74]) {
      const half = girth[Math.round(k * last)]! * 0.96
      const [x, y] = at(k)
      body(pen, [x, y - half, 0.03], [x - 0.03, y, 0.055], [x, y + half, 0.03])
    }
  }
  pen.fillStyle = mix(back, '#101428', 0.14)
  const flap = 0.1 * wave(seconds * 0.35)
  body(pen, [0.34, 0.14, 0.07], [0.16, 0.3 + flap * 0.4, 0.07], [-0.02, 0.42 + flap, 0.012])
  pen.fillStyle = '#0f0d15'
  oval(pen, 0.62, -0.015, 0.026)
  pen.fillStyle = '#ffffff'
  oval(pen, 0.628, -0.022, 0.009)
}

function paintTail(pen: Pen, { back, tail }: Fish, [x, y]: Point, tilt: number): void {
  pen.fillStyle = mix(back, '#101428', 0.2)
  if (tail === 'fluke') {
    for (const s of [-1, 1])
      body(pen, [x + 0.08, y, 0.05], [x - 0.1, y + s * 0.07 + tilt, 0.06], [x - 0.3, y + s * 0.17 + tilt * 2, 0.012])
    return
  }
  const high = tail === 'sickle' ? 0.36 : 0.28
  polygon(pen, [x + 0.12, y], [x - 0.26, y - high + tilt], [x - 0.1, y + tilt * 0.5], [x - 0.24, y + 0.24 + tilt])
}
