import { mix } from '../paint.ts'
import { body, limb, oval, type Pen, type Point, type Pose, type Puppet, polygon, wave } from './puppet.ts'
import { FIGURES, paintShapesAt } from './shapes.ts'

export type Bird = Readonly<{
  size: number
  coat: string
  pale?: string
  wing?: string
  beak?: string
  beakLong?: number
  /** Height of the beak relative to that of a songbird. */
  beakDeep?: number
  neck?: number
  span?: number
  tail?: number
  legs?: number
  /** Colours of long tail feathers and of a comb. */
  plume?: string
  crest?: string
  slow?: boolean
  quick?: boolean
  /** Whether it rests on water. */
  floats?: boolean
  /** Whether it has the head of an owl. */
  owl?: boolean
}>

const FLYING = new Set(['fly', 'float', 'rise', 'fall', 'orbit', 'run', 'land'])

export function bird(spec: Bird): Puppet {
  return {
    habit: 'air',
    size: spec.size,
    box: [-1.5, -1.3 - (spec.legs ?? 0), 1.3, 1],
    pace: (verb) => (FLYING.has(verb) ? 0.9 : verb === 'swim' ? 0.25 : 0),
    paint: (pen, pose) => paintBird(pen, spec, pose),
  }
}

function paintBird(pen: Pen, spec: Bird, { seconds, verb }: Pose): void {
  const { coat, neck = 0.12, span = 0.8, tail = 0.34, legs = 0.16, beak = '#e9a33d' } = spec
  const { wing = mix(coat, '#10101c', 0.18) } = spec
  const flies = FLYING.has(verb)
  const swims = verb === 'swim' && spec.floats
  const beat = seconds * (spec.quick ? 6 : spec.slow ? 0.9 : 1.6)
  const flap = wave(beat)
  pen.save()
  pen.translate(0, flies ? -0.05 * wave(beat + 0.1) : swims ? -0.12 : -0.2 - legs)
  pen.fillStyle = beak
  if (!flies && !swims) for (const dx of [-0.05, 0.06]) limb(pen, [dx, 0.1], 0.02, [dx + 0.02, 0.2 + legs], 0.015)
  if (flies && legs > 0.3) limb(pen, [-0.2, 0.1], 0.014, [-0.3 - legs, 0.15], 0.01)
  if (flies) paintWing(pen, mix(wing, '#10101c', 0.35), span, flap, 0.1)
  if (spec.plume) paintPlumes(pen, spec.plume, seconds)
  pen.fillStyle = wing
  body(pen, [-0.22, 0.02, 0.1], [-0.34 - tail * 0.5, 0.05, 0.09], [-0.36 - tail, 0.08, 0.06])
  const upright = flies ? 0.42 : spec.owl ? 1.45 : 1.15
  const eats = verb === 'eat' && !flies
  const head: Point = eats
    ? [0.3 + neck, 0.02 + neck * 0.8 + 0.03 * wave(seconds)]
    : [0.28 + Math.cos(upright) * neck * 1.4, -0.1 - Math.sin(upright) * neck * 1.4]
  pen.fillStyle = coat
  body(pen, [-0.36, 0.03, 0.06], [-0.1, 0.03, 0.19], [0.15, 0, 0.19], [0.32, -0.05, 0.1])
  limb(pen, [0.22, -0.04], 0.12, head, neck > 0.3 ? 0.055 : 0.1)
  const skull = spec.owl ? 0.17 : neck > 0.3 ? 0.085 : 0.115
  oval(pen, ...head, skull)
  if (spec.pale) {
    pen.fillStyle = spec.pale
    body(pen, [-0.2, 0.12, 0.06], [0.08, 0.12, 0.08], [0.28, 0.03, 0.05])
    if (neck < 0.3) oval(pen, head[0] + 0.03, head[1] + 0.02, skull * 0.72)
  }
  pen.fillStyle = spec.crest ?? coat
  if (spec.crest) oval(pen, head[0] - 0.01, head[1] - 0.09, 0.06, 0.035)
  pen.fillStyle = beak
  const [base, long] = [head[0] + skull * 0.6, spec.owl ? 0.12 : (spec.beakLong ?? 0.22)]
  const deep = spec.beakDeep ?? 1
  polygon(pen, [base, head[1] - 0.045 * deep], [base + long, head[1] + 0.035 * deep], [base, head[1] + 0.055 * deep])
  paintShapesAt(
    pen,
    { shapes: FIGURES[spec.owl ? 'owl' : 'birdEye'], at: head },
    { coat: spec.crest ?? coat },
    { seconds },
  )
  if (flies) paintWing(pen, wing, span, flap, 0)
  else {
    pen.fillStyle = wing
    body(pen, [0.18, -0.04, 0.1], [-0.1, 0, 0.14], [-0.4, 0.08, 0.03])
  }
  pen.restore()
}

/** A wing of two bones. Its outer half follows the inner one, and folds on the way up. */
function paintWing(pen: Pen, tone: string, span: number, flap: number, back: number): void {
  pen.fillStyle = tone
  const elbow: Point = [0.02 + back, -flap * span * 0.45 - 0.05]
  const tip: Point = [-0.3 + back, -flap * span * (flap > 0 ? 1 : 0.7)]
  body(
    pen,
    [0.16 + back * 0.4, -0.02, 0.14],
    [elbow[0], elbow[1], 0.18],
    [(elbow[0] + tip[0]) / 2 - 0.05, (elbow[1] + tip[1]) / 2, 0.14],
    [tip[0], tip[1], 0.02],
  )
}

function paintPlumes(pen: Pen, plume: string, seconds: number): void {
  for (let i = 0; i < 4; i++) {
    const sway = (delay: number) => 0.07 * wave(seconds * 0.35 - delay + i / 6)
    pen.fillStyle = i % 2 ? plume : mix(plume, '#ffd86a', 0.6)
    body(
      pen,
      [-0.3, 0.02, 0.05],
      [-0.6, 0.06 + 0.06 * i + sway(0), 0.05],
      [-0.95, 0.1 + 0.12 * i + sway(0.15), 0.06],
      [-1.35, 0.06 + 0.2 * i + sway(0.3), 0.01],
    )
  }
}
