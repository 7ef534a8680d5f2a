import {
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
  wave,
} from './puppet.ts'
import { loadRigs } from './rigs.ts'
import { FIGURES, paintShapesAt, type Shape, type Tones, toneOf } from './shapes.ts'

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

/** Clothes: shapes around the hip while the spine is upright, the thickness of limbs, and the tones of their parts. */
type Outfit = Readonly<{
  torso: readonly Shape[]
  seated?: readonly Shape[]
  bulk?: number
  legs?: string
  shoes?: string
  sleeves?: string
  hands?: string
  /** Figure that hides the head. */
  mask?: string
}>

const OUTFITS = loadRigs<Outfit>('outfits')
const WARDROBE = loadRigs<Readonly<Record<string, readonly Shape[]>>>('wardrobe')
const WALK: Gait = { cycle: 1.15, duty: 0.6, step: 0.36, lift: 0.06, phases: [0, 0.5] }
const RUN: Gait = { cycle: 0.66, duty: 0.36, step: 0.5, lift: 0.17, phases: [0, 0.5] }
const gaitOf = (verb: string) => (verb === 'run' ? RUN : verb === 'walk' ? WALK : undefined)
const RAISED = new Set(['umbrella', 'torch', 'balloon', 'kite'])
const PLUCKED = new Set(['guitar', 'violin', 'cello', 'erhu', 'pipa'])
const FLOATING = new Set(['fly', 'float', 'swim', 'fall', 'land', 'orbit', 'rise'])
const SEATED = new Set(['sit', 'ride', 'sleep'])

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
    box: [
      -0.75,
      spec.held === 'kite' || spec.prop === 'chute' ? -2.1 : spec.held || spec.hat ? -1.65 : -1.3,
      reach,
      0.1,
    ],
    pace: (verb) => (gaitOf(verb) ? paceOf(gaitOf(verb)!) : 0),
    paint: (pen, pose) => paintPerson(pen, spec, pose),
  }
}

const legOf = ({ child }: Person) => (child ? 0.4 : 0.47)
const torsoOf = ({ child }: Person) => (child ? 0.28 : 0.34)

function jointsOf(spec: Person, pose: Pose): Joints {
  const { seconds, verb } = pose
  const gait = gaitOf(verb)
  const beat = seconds / (gait?.cycle ?? 2.4)
  const dance = verb === 'dance' ? wave(seconds * 0.75) : 0
  const hop = gait
    ? 0.018 * Math.abs(wave(beat)) + (verb === 'run' ? 0.02 : 0)
    : verb === 'jump'
      ? 0.24 * Math.max(0, wave(seconds * 0.7))
      : 0.03 * Math.abs(dance)
  const glides = FLOATING.has(verb) && verb !== 'float'
  const lean = verb === 'run' ? 0.22 : glides ? 0.5 : gait ? 0.05 : 0.08 * dance + 0.01 * wave(beat)
  const seat = verb === 'ride' ? 0.02 : 0.16
  const kneels = verb === 'kneel'
  const hip: Point = [0.04 * dance, -(SEATED.has(verb) ? seat : legOf(spec) * (kneels ? 0.58 : 0.985)) - hop]
  const neck: Point = [hip[0] + Math.sin(lean) * torsoOf(spec), hip[1] - Math.cos(lean) * torsoOf(spec)]
  const head: Point = [neck[0] + Math.sin(lean) * 0.1 + 0.012, neck[1] - (spec.child ? 0.13 : 0.105)]
  const feet = [0, 1].map((side): Point => {
    if (gait) {
      const [x, y] = footOf(gait, side, seconds)
      return [x, y * (spec.child ? 0.85 : 1)]
    }
    if (kneels) return side ? [0.2, 0] : [-0.2, -0.02]
    if (verb === 'ride') return [0.16, 0.3]
    if (SEATED.has(verb)) return [0.34 + side * 0.05, -0.02]
    if (FLOATING.has(verb))
      return [-0.2 - 0.1 * side + 0.05 * wave(seconds * 0.5 + side / 2), hip[1] + legOf(spec) * 0.86]
    if (verb === 'dance' && side) return [0.22 + 0.1 * dance, -0.2 - 0.12 * dance]
    return [side ? 0.06 : -0.06, verb === 'jump' ? -hop : 0]
  })
  const hands = [0, 1].map((side): Point => {
    const [x, y] = reachOf(spec.held, side, pose)
    return [neck[0] + x, neck[1] + 0.045 + y]
  })
  return { hip, neck, head, feet, hands, lean }
}

/** Returns where a hand is, from its shoulder. The first one is the far hand, the second one holds things. */
function reachOf(held: string | undefined, side: number, { seconds, verb }: Pose): Point {
  const gait = gaitOf(verb)
  if (held && side) return RAISED.has(held) ? [0.2, -0.055] : [0.22, 0.155 + 0.01 * wave(seconds * 0.5)]
  if (held && PLUCKED.has(held)) return [0.12, 0.195 + 0.03 * wave(seconds * 2)]
  if (verb === 'hug') return [0.27, 0.06 + side * 0.09]
  if (verb === 'kneel' || verb === 'catch') return [0.27, (verb === 'kneel' ? -0.02 : -0.1) + side * 0.06]
  if (verb === 'dance') return [side ? 0.24 : -0.24, -0.16 - 0.1 * wave(seconds * 0.75 + side / 2)]
  if (FLOATING.has(verb)) return [side ? 0.28 : -0.14, verb === 'float' ? 0.12 * wave(seconds * 0.3 + side / 3) : -0.06]
  if (SEATED.has(verb)) return [0.2, 0.2 + (verb === 'sit' ? 0.02 * wave(seconds * 1.5 + side / 2) : 0)]
  const swing = gait ? (verb === 'run' ? 0.2 : 0.13) * wave(seconds / gait.cycle + side / 2 + 0.25) : 0
  return [swing * 1.4 + 0.02, (verb === 'run' ? 0.18 : 0.3) - Math.abs(swing) * 0.25]
}

function paintPerson(pen: Pen, spec: Person, pose: Pose): void {
  const joints = jointsOf(spec, pose)
  const { hip, neck, head, hands, lean } = joints
  const outfit = OUTFITS[spec.outfit]!
  const skin = outfit.mask === 'robot' ? toneOf('coat+25', { coat: spec.colour }) : (spec.skin ?? '#f0bd94')
  const tones = { coat: spec.colour, skin, hair: spec.hairColour ?? '#2b1e23', trousers: spec.trousers ?? '#30334a' }
  const size = spec.child ? 0.1 : 0.08
  const draw = (shapes: readonly Shape[] | undefined, at: Point, scale = 1, turn = 0, own: Tones = tones) =>
    paintShapesAt(pen, { shapes, at, size: scale, turn }, own, pose)
  const { hair = 'short', prop = '', held = '' } = spec
  draw(WARDROBE.worn![prop], neck)
  draw(WARDROBE.ridden![prop], [0, 0])
  paintArm(pen, spec, joints, 0, tones)
  draw(FIGURES[`${hair} behind ${pose.verb}`] ?? FIGURES[`${hair} behind`], head, size)
  for (const side of [0, 1]) paintLeg(pen, spec, joints, side, tones)
  draw((SEATED.has(pose.verb) && outfit.seated) || outfit.torso, hip, torsoOf(spec) / 0.34, lean)
  if (outfit.mask) draw(FIGURES[outfit.mask], head)
  else for (const part of ['face', spec.beard ? 'beard' : '', hair]) draw(FIGURES[part], head, size)
  draw(WARDROBE.hats![spec.hat ?? ''], head, size)
  draw(WARDROBE.held![held], hands[1]!, 1, 0, { own: spec.heldColour ?? '#d8402f' })
  paintArm(pen, spec, joints, 1, tones)
}

/** Returns a tone of a limb. The far limbs are darker. */
const limbTone = (name: string, tones: Tones, side: number) =>
  toneOf(side === 0 ? 'own-' : 'own', { own: toneOf(name, tones) })

function paintLeg(pen: Pen, spec: Person, { hip, feet }: Joints, side: number, tones: Tones): void {
  const foot = feet[side]!
  const { bulk = 1, legs = 'trousers', shoes = '#221d28' } = OUTFITS[spec.outfit]!
  const length = Math.max(legOf(spec), Math.hypot(foot[0] - hip[0], foot[1] - hip[1]) * 1.001)
  const ankle: Point = [foot[0] - 0.01, foot[1] - 0.03]
  const knee = jointOf(hip, ankle, length / 2, length / 2, 1)
  pen.fillStyle = limbTone(spec.trousers ? 'trousers' : legs, tones, side)
  limb(pen, hip, 0.056 * bulk, knee, 0.042 * bulk)
  limb(pen, knee, 0.042 * bulk, ankle, 0.028 * bulk)
  pen.fillStyle = toneOf(shoes, tones)
  limb(pen, [foot[0] - 0.015, foot[1] - 0.018], 0.026 * bulk, [foot[0] + 0.06, foot[1] - 0.012], 0.019 * bulk)
}

function paintArm(pen: Pen, spec: Person, { neck, hands }: Joints, side: number, tones: Tones): void {
  const hand = hands[side]!
  const { bulk = 1, sleeves = 'coat-8', hands: glove = 'skin' } = OUTFITS[spec.outfit]!
  const shoulder: Point = [neck[0], neck[1] + 0.045]
  const length = Math.max(0.325, Math.hypot(hand[0] - shoulder[0], hand[1] - shoulder[1]) * 1.001)
  const elbow = jointOf(shoulder, hand, length / 2, length / 2, -1)
  pen.fillStyle = limbTone(sleeves, tones, side)
  limb(pen, shoulder, 0.042 * bulk, elbow, 0.034 * bulk)
  limb(pen, elbow, 0.034 * bulk, hand, 0.026 * bulk)
  if (spec.outfit === 'robe') limb(pen, elbow, 0.04, [hand[0] - 0.01, hand[1] + 0.04], 0.06)
  pen.fillStyle = toneOf(glove, tones)
  oval(pen, hand[0], hand[1], 0.027 * bulk)
}
