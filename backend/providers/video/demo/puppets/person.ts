import { mix } from '../paint.ts'
import {
  body,
  footOf,
  type Gait,
  jointOf,
  limb,
  oval,
  type Pen,
  type Point,
  type Pose,
  type Puppet,
  paceOf,
  polygon,
  wave,
} from './puppet.ts'
import { FIGURES, paintShapesAt } from './shapes.ts'
import { paintHat, paintHeld, paintProp } from './wardrobe.ts'

export type Person = Readonly<{
  outfit: 'coat' | 'dress' | 'robe' | 'plain' | 'space' | 'robot' | 'armour'
  colour: string
  trousers?: string
  skin?: string
  hair?: 'short' | 'bob' | 'long' | 'bun' | 'none'
  hairColour?: string
  hat?: string
  beard?: boolean
  child?: boolean
  held?: string | undefined
  heldColour?: string | undefined
  /** Something worn or ridden: skis, a board, wings, a cape. */
  prop?: string
}>

const WALK: Gait = { cycle: 1.15, duty: 0.6, step: 0.36, lift: 0.06, phases: [0, 0.5] }
const RUN: Gait = { cycle: 0.66, duty: 0.36, step: 0.5, lift: 0.17, phases: [0, 0.5] }
const gaitOf = (verb: string) => (verb === 'run' ? RUN : verb === 'walk' ? WALK : undefined)
const RAISED = new Set(['umbrella', 'torch', 'balloon', 'kite'])
const FLOATING = new Set(['fly', 'float', 'swim', 'fall', 'land', 'orbit', 'rise'])

/** Where the joints of a person are at a moment. */
type Joints = Readonly<{
  hip: Point
  neck: Point
  head: Point
  feet: readonly Point[]
  hands: readonly Point[]
  lean: number
}>

export function person(spec: Person): Puppet {
  const reach = spec.held === 'kite' ? 1.4 : 0.95
  return {
    habit: 'ground',
    size: spec.child ? 0.28 : 0.35,
    box: [-0.75, spec.held === 'kite' ? -2.1 : spec.held || spec.hat ? -1.65 : -1.3, reach, 0.1],
    pace: (verb) => (gaitOf(verb) ? paceOf(gaitOf(verb)!) : 0),
    paint: (pen, pose) => paintPerson(pen, spec, pose),
  }
}

function jointsOf({ child, held }: Person, { seconds, verb }: Pose): Joints {
  const gait = gaitOf(verb)
  const leg = child ? 0.4 : 0.47
  const floats = FLOATING.has(verb)
  const sits = verb === 'sit' || verb === 'ride' || verb === 'sleep'
  const beat = seconds / (gait?.cycle ?? 2.4)
  const dance = verb === 'dance' ? wave(seconds * 0.75) : 0
  const hop = gait
    ? 0.018 * Math.abs(wave(beat)) + (verb === 'run' ? 0.02 : 0)
    : verb === 'jump'
      ? 0.24 * Math.max(0, wave(seconds * 0.7))
      : 0.03 * Math.abs(dance)
  const lean = verb === 'run' ? 0.22 : floats && verb !== 'float' ? 0.5 : gait ? 0.05 : 0.08 * dance + 0.01 * wave(beat)
  const seat = verb === 'ride' ? 0.02 : 0.16
  const hip: Point = [0.04 * dance, -(sits ? seat : leg * 0.985) - hop]
  const feet = [0, 1].map((side): Point => {
    if (gait)
      return [...footOf(gait, side, seconds)].map((v, i) => (i ? v : v * (child ? 0.85 : 1))) as unknown as Point
    if (verb === 'ride') return [0.16, 0.3]
    if (sits) return [0.34 + side * 0.05, -0.02]
    if (floats) return [-0.2 - 0.1 * side + 0.05 * wave(seconds * 0.5 + side / 2), hip[1] + leg * 0.86]
    if (verb === 'dance' && side) return [0.22 + 0.1 * dance, -0.2 - 0.12 * dance]
    return [side ? 0.06 : -0.06, verb === 'jump' ? -hop : 0]
  })
  const torso = child ? 0.28 : 0.34
  const neck: Point = [hip[0] + Math.sin(lean) * torso, hip[1] - Math.cos(lean) * torso]
  const head: Point = [neck[0] + Math.sin(lean) * 0.1 + 0.012, neck[1] - (child ? 0.13 : 0.105)]
  const hands = [0, 1].map((side): Point => {
    const shoulder: Point = [neck[0], neck[1] + 0.045]
    const swing = gait ? (verb === 'run' ? 0.2 : 0.13) * wave(beat + side / 2 + 0.25) : 0
    if (held && side)
      return RAISED.has(held)
        ? [neck[0] + 0.2, neck[1] - 0.01]
        : [neck[0] + 0.22, neck[1] + 0.2 + 0.01 * wave(seconds * 0.5)]
    if (held === 'guitar' || held === 'violin') return [neck[0] + 0.12, neck[1] + 0.24 + 0.03 * wave(seconds * 2)]
    if (verb === 'dance')
      return [shoulder[0] + (side ? 0.24 : -0.24), shoulder[1] - 0.16 - 0.1 * wave(seconds * 0.75 + side / 2)]
    if (floats)
      return [
        shoulder[0] + (side ? 0.28 : -0.14),
        shoulder[1] + (verb === 'float' ? 0.12 * wave(seconds * 0.3 + side / 3) : -0.06),
      ]
    if (sits)
      return [shoulder[0] + 0.2, shoulder[1] + 0.2 + (verb === 'sit' ? 0.02 * wave(seconds * 1.5 + side / 2) : 0)]
    return [shoulder[0] + swing * 1.4 + 0.02, shoulder[1] + (verb === 'run' ? 0.18 : 0.3) - Math.abs(swing) * 0.25]
  })
  return { hip, neck, head, feet, hands, lean }
}

function paintPerson(pen: Pen, spec: Person, pose: Pose): void {
  const joints = jointsOf(spec, pose)
  const { hip, neck, head, hands } = joints
  const { outfit, colour } = spec
  const skin = outfit === 'robot' ? mix(colour, '#ffffff', 0.25) : (spec.skin ?? '#f0bd94')
  if (spec.prop) paintProp(pen, spec.prop, neck, pose.seconds)
  paintArm(pen, spec, joints, 0, skin)
  paintBackHair(pen, spec, head, pose)
  for (const side of [0, 1]) paintLeg(pen, spec, joints, side)
  paintTorso(pen, spec, hip, neck, pose)
  const mask = outfit === 'space' ? FIGURES.helmet : outfit === 'robot' ? FIGURES.robot : undefined
  if (mask) paintShapesAt(pen, { shapes: mask, at: head }, { coat: colour }, pose.seconds)
  else paintFace(pen, spec, head, skin)
  if (spec.hat) paintHat(pen, spec.hat, head, spec.child ? 0.1 : 0.08, colour)
  if (spec.held) paintHeld(pen, spec.held, hands[1]!, pose.seconds, spec.heldColour)
  paintArm(pen, spec, joints, 1, skin)
}

const bulk = ({ outfit }: Person) => (outfit === 'space' ? 1.75 : outfit === 'robot' ? 1.2 : 1)
const dim = (colour: string, isFar: boolean) => (isFar ? mix(colour, '#1a1430', 0.3) : colour)

function paintLeg(pen: Pen, spec: Person, { hip, feet }: Joints, side: number): void {
  const foot = feet[side]!
  const leg = spec.child ? 0.4 : 0.47
  const length = Math.max(leg, Math.hypot(foot[0] - hip[0], foot[1] - hip[1]) * 1.001)
  const ankle: Point = [foot[0] - 0.01, foot[1] - 0.03]
  const knee = jointOf(hip, ankle, length / 2, length / 2, 1)
  const thick = bulk(spec)
  const plain =
    spec.outfit === 'space'
      ? spec.colour
      : spec.outfit === 'robot'
        ? mix(spec.colour, '#3a4456', 0.55)
        : (spec.trousers ?? '#30334a')
  const tone = spec.outfit === 'dress' && !spec.trousers ? (spec.skin ?? '#e8b288') : plain
  pen.fillStyle = dim(tone, side === 0)
  limb(pen, hip, 0.056 * thick, knee, 0.042 * thick)
  limb(pen, knee, 0.042 * thick, ankle, 0.028 * thick)
  pen.fillStyle = spec.outfit === 'space' ? mix(spec.colour, '#000000', 0.18) : '#221d28'
  limb(pen, [foot[0] - 0.015, foot[1] - 0.018], 0.026 * thick, [foot[0] + 0.06, foot[1] - 0.012], 0.019 * thick)
}

function paintArm(pen: Pen, spec: Person, { neck, hands }: Joints, side: number, skin: string): void {
  const hand = hands[side]!
  const shoulder: Point = [neck[0], neck[1] + 0.045]
  const length = Math.max(0.325, Math.hypot(hand[0] - shoulder[0], hand[1] - shoulder[1]) * 1.001)
  const elbow = jointOf(shoulder, hand, length / 2, length / 2, -1)
  const thick = bulk(spec)
  const sleeve =
    spec.outfit === 'dress' ? skin : spec.outfit === 'armour' ? '#3b2b35' : mix(spec.colour, '#140f20', 0.08)
  pen.fillStyle = dim(sleeve, side === 0)
  limb(pen, shoulder, 0.042 * thick, elbow, 0.034 * thick)
  limb(pen, elbow, 0.034 * thick, hand, 0.026 * thick)
  if (spec.outfit === 'robe')
    polygon(
      pen,
      elbow,
      [hand[0] + 0.03, hand[1] - 0.02],
      [hand[0] - 0.03, hand[1] + 0.15],
      [elbow[0] - 0.05, elbow[1] + 0.08],
    )
  pen.fillStyle = spec.outfit === 'space' ? mix(spec.colour, '#000000', 0.18) : skin
  oval(pen, hand[0], hand[1], 0.027 * thick)
}

function paintTorso(pen: Pen, spec: Person, [hipX, hipY]: Point, [neckX, neckY]: Point, { seconds, verb }: Pose): void {
  const { outfit, colour } = spec
  const wide = outfit === 'space' ? 0.135 : outfit === 'robot' ? 0.12 : spec.child ? 0.082 : 0.092
  const sway = 0.02 * wave(seconds * 0.4) - (verb === 'run' ? 0.09 : verb === 'walk' ? 0.02 : 0)
  const skirt = (length: number, flare: number) =>
    polygon(
      pen,
      [hipX - wide * 0.75, hipY - 0.09],
      [hipX + wide * 0.75, hipY - 0.09],
      [hipX + flare + sway * 0.4, hipY + length],
      [hipX - flare + sway * 1.5, hipY + length],
    )
  if (outfit === 'space') {
    pen.fillStyle = mix(colour, '#000000', 0.25)
    pen.beginPath()
    pen.roundRect(neckX - 0.21, neckY - 0.02, 0.16, 0.3, 0.04)
    pen.fill()
  }
  pen.fillStyle = colour
  body(
    pen,
    [neckX, neckY - 0.01, wide * 0.5],
    [neckX, neckY + 0.07, wide],
    [(hipX + neckX) / 2, (hipY + neckY) / 2, wide * 0.88],
    [hipX, hipY + 0.04, wide * 0.95],
  )
  if (outfit === 'coat') skirt(0.2, 0.12)
  if (outfit === 'dress') skirt(0.23, 0.19 + (verb === 'dance' ? 0.07 : 0))
  if (outfit === 'robe') {
    skirt(Math.min(0.43, -hipY - 0.03), 0.18)
    pen.fillStyle = mix(colour, '#2c1830', 0.5)
    pen.fillRect(hipX - wide * 0.9, hipY - 0.12, wide * 1.8, 0.06)
  }
  if (outfit === 'armour') {
    pen.fillStyle = mix(colour, '#000000', 0.25)
    skirt(0.14, 0.14)
    pen.fillStyle = '#d9b157'
    for (const y of [0.02, 0.08]) pen.fillRect(hipX - 0.1, hipY + y, 0.2, 0.014)
    oval(pen, neckX - 0.05, neckY + 0.06, 0.075, 0.06)
  }
  if (outfit !== 'robot') return
  pen.fillStyle = '#22303c'
  pen.fillRect(neckX - 0.06, neckY + 0.1, 0.12, 0.08)
  pen.fillStyle = '#7df0ff'
  for (let i = 0; i < 3; i++)
    if (wave(seconds * 0.5 + i / 3) > -0.2) oval(pen, neckX - 0.035 + i * 0.035, neckY + 0.14, 0.012)
}

function paintBackHair(pen: Pen, spec: Person, [x, y]: Point, { seconds, verb }: Pose): void {
  if (spec.hair !== 'long') return
  pen.fillStyle = spec.hairColour ?? '#2b1e23'
  const back = (verb === 'run' ? 0.14 : 0.02) + 0.02 * wave(seconds * 0.35)
  body(
    pen,
    [x - 0.02, y - 0.03, 0.08],
    [x - 0.06 - back * 0.4, y + 0.1, 0.075],
    [x - 0.08 - back, y + 0.26 - back, 0.05],
    [x - 0.09 - back * 1.5, y + 0.36 - back, 0.01],
  )
}

function paintFace(pen: Pen, spec: Person, [x, y]: Point, skin: string): void {
  const { hair = 'short', hairColour = '#2b1e23' } = spec
  const r = spec.child ? 0.1 : 0.08
  pen.fillStyle = skin
  limb(pen, [x - 0.012, y + r * 0.5], 0.032, [x - 0.02, y + r * 1.5], 0.034)
  oval(pen, x, y, r * 0.96, r)
  oval(pen, x + r * 0.93, y + r * 0.18, r * 0.17, r * 0.13)
  pen.fillStyle = '#2a1b21'
  oval(pen, x + r * 0.55, y - r * 0.05, r * 0.1, r * 0.14)
  pen.fillStyle = hairColour
  if (spec.beard)
    polygon(
      pen,
      [x - r * 0.2, y + r * 0.4],
      [x + r * 0.9, y + r * 0.4],
      [x + r * 0.6, y + r * 1.9],
      [x + r * 0.05, y + r * 1.2],
    )
  if (hair === 'none') return
  pen.beginPath()
  pen.arc(x - r * 0.12, y - r * 0.12, r * 1.08, Math.PI * 0.72, Math.PI * 1.86)
  pen.quadraticCurveTo(x + r * 0.1, y - r * 0.35, x - r * 0.15, y + r * 0.3)
  pen.fill()
  if (hair === 'bob' || hair === 'long')
    body(pen, [x - r * 0.5, y - r * 0.5, r * 0.6], [x - r * 0.62, y + r * 0.2, r * 0.5], [x - r * 0.65, y + r, r * 0.3])
  if (hair === 'bun') oval(pen, x - r * 0.5, y - r * 1.15, r * 0.48)
}
