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
  traceBody,
  wave,
} from './puppet.ts'
import { loadRigs } from './rigs.ts'
import { paintShapesAt, type Shape } from './shapes.ts'

/** What makes an animal on four legs the one it is. Lengths are fractions of its height at the shoulder. */
export type Beast = Readonly<{
  size: number
  coat: string
  /** Colours of the throat, the lower legs, and the marks, mane or horns. */
  pale?: string
  legs?: string
  mark?: string
  /** Lengths of legs, trunk, neck, head and snout, and half thicknesses. */
  leg: number
  thick: number
  long: number
  chest: number
  waist: number
  neck: number
  neckThick: number
  /** Turns above the horizon. */
  rise: number
  head: number
  snout: number
  snoutThick: number
  ears?: 'pointed' | 'round' | 'floppy' | 'long' | 'wide'
  tail?: 'bushy' | 'thin' | 'tuft' | 'stub' | 'flowing' | 'curl' | 'heavy'
  extra?: 'antlers' | 'horns' | 'mane' | 'crest' | 'horn' | 'trunk' | 'hump' | 'upright' | 'spines' | 'wool'
  coatMarks?: 'stripes' | 'spots' | 'patches' | 'panda'
}>

/** Shapes of ears, horns, tails and the like by kind and name, in units of the head, the waist or, for tails, the height. */
const PARTS = loadRigs<Readonly<Record<string, readonly Shape[]>>>('beastParts')

const tonesOf = ({ coat, pale = coat, mark = dim(coat) }: Beast) => ({ coat, pale, mark, ink: '#171016' })
const dim = (colour: string) => mix(colour, '#1a1430', 0.35)

/** Gaits as animals have them: a walk with three feet down, a gallop with a moment in the air, and a hop on both hind legs. */
function gaitOf({ size, leg, ears }: Beast, verb: string): Gait | undefined {
  const tempo = Math.sqrt((size + 0.05) / 0.3)
  if (verb === 'run' || (verb === 'jump' && ears !== 'long')) {
    return { cycle: 0.58 * tempo, duty: 0.34, step: leg * 1.25, lift: leg * 0.36, phases: [0.5, 0.62, 0, 0.12] }
  }
  if (verb === 'jump')
    return { cycle: 0.62, duty: 0.42, step: leg * 1.2, lift: leg * 0.6, phases: [0.4, 0.44, 0, 0.03] }
  if (verb === 'walk' || verb === 'dance') {
    return { cycle: 1.2 * tempo, duty: 0.64, step: leg * 0.72, lift: leg * 0.17, phases: [0.25, 0.75, 0, 0.5] }
  }
  return undefined
}

export function beast(spec: Beast): Puppet {
  const top = -1.35 - spec.neck * Math.sin(spec.rise * Math.PI * 2) - (spec.extra === 'antlers' ? 0.55 : 0.25)
  const pace = (verb: string) => {
    const gait = gaitOf(spec, verb)
    return gait ? paceOf(gait) : 0
  }
  const box = [-spec.long / 2 - 1.2, top, spec.long / 2 + 0.85 + spec.neck, 0.16] as const
  return { habit: 'ground', size: spec.size, box, pace, paint: (pen, pose) => paintBeast(pen, spec, pose) }
}

/** Puts a rider on an animal's back. */
export function mounted(spec: Beast, rider: Puppet): Puppet {
  const animal = beast(spec)
  const { box } = animal
  const back = -spec.leg - spec.waist * 1.5
  return {
    ...animal,
    box: [box[0], Math.min(box[1], back - 1.2), box[2], box[3]],
    paint(pen, pose) {
      const verb = pose.verb === 'run' ? 'run' : pose.verb === 'stand' ? 'stand' : 'walk'
      const bounce = 0.03 * wave(pose.seconds * (verb === 'run' ? 1.7 : 0.8))
      pen.save()
      pen.translate(-0.06, back + 0.24 + bounce)
      const height = 0.36 / spec.size
      pen.scale(height, height)
      rider.paint(pen, { ...pose, verb: 'ride' })
      pen.restore()
      animal.paint(pen, { ...pose, verb })
      pen.fillStyle = '#33354a'
      limb(pen, [-0.06, back + 0.14 + bounce], 0.075, [0.16, back + 0.34], 0.06)
      limb(pen, [0.16, back + 0.34], 0.06, [0.1, back + 0.62], 0.045)
    },
  }
}

type Frame = Readonly<{ spec: Beast; pose: Pose; hip: Point; shoulder: Point; isRunning: boolean; isLying: boolean }>

function paintBeast(pen: Pen, spec: Beast, pose: Pose): void {
  const { seconds, verb } = pose
  const gait = gaitOf(spec, verb)
  const isLying = verb === 'sleep'
  const isRunning = gait !== undefined && gait.duty < 0.5
  const beat = gait ? seconds / gait.cycle : seconds * 0.25
  const bounce = isRunning ? 0.05 * wave(beat + 0.1) : gait ? 0.012 * wave(beat * 2) : 0.006 * wave(beat)
  const pitch = verb === 'sit' ? 0.3 : spec.extra === 'upright' ? 0.34 : isRunning ? 0.09 * wave(beat + 0.3) : 0
  const height = isLying ? spec.waist * 1.05 : spec.leg + spec.waist * 0.6
  const half = spec.long / 2
  const frame: Frame = {
    ...{ spec, pose, isRunning, isLying },
    hip: [-half * 0.92, -height + bounce + (verb === 'sit' ? spec.leg * 0.55 : 0) + half * pitch * 0.5],
    shoulder: [half * 0.92, -height + bounce - half * pitch],
  }
  const feet = [0, 1, 2, 3].map((leg) => footAt(frame, gait, leg))
  for (const leg of [1, 3]) paintLeg(pen, frame, leg, feet[leg]!, true)
  paintTail(pen, frame)
  paintTrunk(pen, frame)
  for (const leg of [0, 2]) paintLeg(pen, frame, leg, feet[leg]!, false)
  paintHead(pen, frame)
}

function footAt({ spec, pose, hip, shoulder, isLying }: Frame, gait: Gait | undefined, leg: number): Point {
  const top = leg < 2 ? shoulder : hip
  if (isLying) return [top[0] + (leg < 2 ? 0.24 : 0.2), -0.04]
  if (pose.verb === 'sit' && leg > 1) return [top[0] + 0.28, -0.03]
  if (spec.extra === 'upright' && leg < 2) return [top[0] + 0.18, top[1] + spec.leg * 0.55]
  const apart = (leg % 2 ? 0.05 : -0.03) * (gait ? 0.4 : 1)
  const [x, y] = gait ? footOf(gait, leg, pose.seconds) : [0, 0]
  return [top[0] + x + apart, y - 0.03]
}

function paintLeg(pen: Pen, { spec, hip, shoulder }: Frame, leg: number, foot: Point, isFar: boolean): void {
  const isFore = leg < 2
  const top: Point = isFore
    ? [shoulder[0] - 0.02, shoulder[1] + spec.chest * 0.25]
    : [hip[0], hip[1] + spec.waist * 0.1]
  const length = Math.max(spec.leg + spec.waist * 0.45, Math.hypot(foot[0] - top[0], foot[1] - top[1]))
  const knee = jointOf(top, foot, length * 0.52, length * 0.52, isFore ? 1 : -1)
  const tone = (colour: string) => (isFar ? dim(colour) : colour)
  const thick = spec.thick
  pen.fillStyle = tone(spec.coat)
  limb(pen, top, thick * (isFore ? 1.7 : 2.3), knee, thick)
  pen.fillStyle = tone(spec.legs ?? spec.coat)
  limb(pen, knee, thick, foot, thick * 0.68)
  limb(pen, foot, thick * 0.75, [foot[0] + thick * 1.1, foot[1] + thick * 0.12], thick * 0.6)
}

function paintTrunk(pen: Pen, { spec, pose, hip, shoulder }: Frame): void {
  const { coat, waist, chest } = spec
  const [mx, my] = [(hip[0] + shoulder[0]) / 2, (hip[1] + shoulder[1]) / 2]
  const spine = [
    [hip[0] - waist * 1.05, hip[1] + 0.02, waist * 0.4],
    [hip[0] - waist * 0.5, hip[1], waist * 1.02],
    [mx, my + waist * 0.05, waist],
    [shoulder[0], shoulder[1], chest * 1.08],
    [shoulder[0] + chest * 0.85, shoulder[1] + chest * 0.05, chest * 0.45],
  ] as const
  pen.fillStyle = coat
  body(pen, ...spine)
  oval(pen, shoulder[0], shoulder[1], chest)
  oval(pen, hip[0], hip[1], waist * 1.03)
  const frame = { at: [mx, my], size: waist } as const
  paintShapesAt(pen, { shapes: PARTS.trunks![spec.extra ?? ''], ...frame }, tonesOf(spec), pose)
  if (!spec.coatMarks) return
  pen.save()
  traceBody(pen, spine)
  pen.clip()
  paintShapesAt(pen, { shapes: PARTS.marks![spec.coatMarks], ...frame }, tonesOf(spec), pose)
  pen.restore()
}

function paintHead(pen: Pen, { spec, pose, shoulder, isRunning, isLying }: Frame): void {
  const { coat, neck, neckThick, head, chest, snout, snoutThick, pale, extra } = spec
  const { seconds, verb } = pose
  const nod = 0.012 * wave(seconds * (isRunning ? 1.6 : 0.5))
  const rise = isLying
    ? 0.02
    : verb === 'eat'
      ? -0.09 + 0.012 * wave(seconds * 0.9)
      : isRunning
        ? spec.rise * 0.75 + nod
        : spec.rise + nod
  const root: Point = [shoulder[0] + chest * 0.3, shoulder[1] - chest * 0.25]
  const at: Point = [root[0] + Math.cos(rise * Math.PI * 2) * neck, root[1] - Math.sin(rise * Math.PI * 2) * neck]
  const [x, y] = at
  const tones = tonesOf(spec)
  const part = (shapes: readonly Shape[] | undefined, own = tones, dx = 0) =>
    paintShapesAt(pen, { shapes, at: [x + head * dx, y], size: head }, own, pose)
  part(PARTS.manes![extra ?? ''])
  const ears = (dx: number, coatOfEar: string) => part(PARTS.ears![spec.ears ?? ''], { ...tones, coat: coatOfEar }, dx)
  ears(0.35, dim(coat))
  pen.fillStyle = coat
  limb(pen, root, Math.max(neckThick * 1.5, chest * 0.62), at, neckThick)
  pen.fillStyle = pale ?? coat
  const throat: Point = [root[0] + chest * 0.42, root[1] + chest * 0.5]
  if (pale) limb(pen, throat, chest * 0.3, [x + head * 0.1, y + head * 0.55], head * 0.42)
  if (extra === 'crest') {
    pen.fillStyle = spec.mark ?? dim(coat)
    const flow = 0.04 * wave(seconds * 1.2) + (isRunning ? 0.12 : 0.03)
    body(
      pen,
      [x + head * 0.5, y - head, 0.03],
      [x - head * 0.6, y - head * 0.7, 0.07],
      [(x + root[0]) / 2 - 0.12 - flow, (y + root[1]) / 2 - 0.04, 0.08],
      [root[0] - 0.2 - flow, root[1], 0.02],
    )
  }
  const drop = verb === 'eat' ? 0.85 : rise > 0.14 ? 0.7 : 0.3
  const nose: Point = [x + head * 0.5 + snout, y + head * 0.15 + snout * drop]
  pen.fillStyle = coat
  oval(pen, x, y, head)
  limb(pen, [x + head * 0.3, y + head * 0.1], head * 0.74, nose, snoutThick)
  pen.fillStyle = pale ?? coat
  const chin: Point = [nose[0] - 0.02, nose[1] + snoutThick * 0.4]
  if (pale) limb(pen, [x + head * 0.5, y + head * 0.6], head * 0.34, chin, snoutThick * 0.6)
  if (extra !== 'trunk') {
    pen.fillStyle = '#201820'
    oval(pen, nose[0] + snoutThick * 0.6, nose[1] - snoutThick * 0.25, snoutThick * 0.45)
  }
  ears(-0.2, spec.coatMarks === 'panda' ? tones.mark : coat)
  part(PARTS.horns![extra ?? ''], { ...tones, mark: spec.mark ?? '#d9cbb0' })
  const lids = isLying || (seconds % 3.3 < 0.12 && verb !== 'run') ? 'shut' : 'open'
  part(PARTS.eyes![`${spec.coatMarks} ${lids}`] ?? PARTS.eyes![lids])
}

function paintTail(pen: Pen, { spec, pose, hip, isRunning }: Frame): void {
  const root: Point = [hip[0] - spec.waist * 0.85, hip[1] - spec.waist * 0.45]
  const shapes = (isRunning ? PARTS.tails![`${spec.tail} run`] : undefined) ?? PARTS.tails![spec.tail ?? '']
  paintShapesAt(pen, { shapes, at: root }, tonesOf(spec), pose)
}
