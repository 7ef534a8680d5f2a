import type { Actor, Slot } from './actor.ts'
import type { Puppet } from './puppets/puppet.ts'
import { puppetFor, verbOf } from './puppets/puppetFor.ts'
import { isBeast } from './puppets/rigs.ts'
import { createRandom, hashText, type Random } from './random.ts'
import { isA } from './reading/kinds.ts'
import { sails } from './reading/placeOf.ts'
import type { Reading, Wanted } from './reading/readPrompt.ts'

const WATERS = new Set(['ocean', 'beach', 'mountain', 'city', 'watertown'])
const WEIGHTLESS = new Set(['space', 'sky', 'underwater'])
/** Verbs of birds that are not in the air. */
const RESTING = new Set(['stand', 'sit', 'walk', 'eat', 'sleep', 'swim'])
const SMALL = 0.21

type Entry = { wanted: Wanted; actors: readonly Actor[] }

/** Casts the subjects of a reading. The seed sets sides, phases and small distances, never who appears. */
export async function castOf(reading: Reading, place: string, seed: number): Promise<readonly Actor[]> {
  const random = createRandom(hashText(`${seed}/cast`))
  const side = random.pick([1, -1] as const)
  const mountOf = ({ relation }: Wanted) => reading.subjects.find(({ name }) => name === relation!.to)
  const ridden = new Set(reading.subjects.filter(rides).map(mountOf))
  const leads = reading.subjects.filter((wanted) => !ridden.has(wanted))
  const puppets = await Promise.all(
    leads.map((wanted) => puppetFor(wanted, reading, rides(wanted) ? mountOf(wanted) : undefined)),
  )
  const fronts = puppets.filter((puppet) => puppet && puppet.habit !== 'backdrop').length
  const cast: Entry[] = []
  let front = 0
  for (const [i, wanted] of leads.entries()) {
    const drawn = puppets[i]
    if (!drawn) continue
    const slot = slotOf(drawn, wanted, place)
    const swims = slot === 'surface' && drawn.habit === 'ground' && !rides(wanted) && wanted.name !== 'surfer'
    const puppet = swims ? wading(drawn) : drawn
    const verb = verbFor(puppet, wanted, slot, rides(wanted) ? mountOf(wanted) : undefined)
    const index = slot === 'backdrop' ? 0 : front++
    const spread = fronts > 1 ? -side * (index - (fronts - 1) / 2) * 0.46 : 0
    const beside = fronts > 0 ? side * (puppet.size > 0.5 ? 0.3 : 0.26) * (i % 2 ? -1 : 1) : 0.03 * side
    const isAlone = leads.length === 1 && wanted.count === 1
    const lead: Actor = {
      ...{ puppet, slot, verb, side, ahead: 0 },
      x: slot === 'backdrop' ? beside : spread,
      lift: slot === 'air' ? middleOf(puppet, wanted) - 0.05 * index : swims ? WATERLINE * puppet.size : 0,
      scale: scaleOf(puppet, wanted, isAlone) * (leads.length > 1 && isProp(puppet, wanted, place) ? 0.5 : 1),
    }
    cast.push({
      wanted,
      actors: copiesOf(lead, slot === 'backdrop' ? Math.min(wanted.count, 3) : wanted.count, random),
    })
  }
  relate(cast)
  return cast.flatMap(({ actors }) => actors)
}

/** Returns whether a person is carried by the next thing: on an animal or a bicycle, or in a boat. */
const rides = (wanted: Wanted) => {
  const { kind, to = '' } = wanted.relation ?? {}
  return isA('person', wanted.name) && ((kind === 'on' && (isA('mount', to) || to.endsWith('cycle'))) || sails(wanted))
}

/** Share of its height up to which a figure with feet is under water. */
const WATERLINE = 0.36
const wading = (puppet: Puppet): Puppet => {
  const [left, top, right] = puppet.box
  return { ...puppet, box: [left, top, right, -WATERLINE] }
}

/** Returns whether a thing is small beside the figures that it is with: food outdoors, a ball, an apple. */
const isProp = ({ habit }: Puppet, { name, scale }: Wanted, place: string) =>
  scale === 1 && (isA('small', name) || (habit === 'table' && place !== 'table'))

/** Figures with feet have their origin there: in the air, their middle is what counts. */
const middleOf = ({ habit, size, box }: Puppet, { scale }: Wanted) =>
  habit === 'air' || habit === 'sea' ? 0 : size * scale * Math.max(0.5, -box[1] / 2.2)

/** Returns the size of a figure: larger if it is alone or tiny, smaller in a crowd. */
function scaleOf({ size, habit }: Puppet, { scale, count }: Wanted, isAlone: boolean): number {
  const usual = size > 0.4 ? (habit === 'air' ? 0.85 : 1) : isAlone ? 1.3 : count > 1 ? 0.92 : 1.1
  return scale * usual * (size < 0.13 ? 1.35 : 1) * (count > 4 ? 0.72 : 1)
}

/** Returns a row of copies that differ a little. In the air, neighbours fly at different heights, so that they do not touch. */
function copiesOf(lead: Actor, count: number, random: Random): Actor[] {
  const { puppet, scale, slot } = lead
  const own = (puppet.size * scale * (puppet.box[2] - puppet.box[0])) / 2.6
  const wide = Math.min(0.36, 1.5 / count, Math.max(0.17, own))
  return Array.from({ length: count }, (_, n) => {
    const ahead = random.range(0, 3)
    if (count === 1) return { ...lead, ahead }
    const lift =
      slot === 'air'
        ? random.range(0.04, 0.1) * (n % 2 ? -1 : 1)
        : random.range(-0.015, 0.015) + (count > 4 ? 0.035 * (n % 2) : 0)
    return {
      ...{ ...lead, ahead },
      x: lead.x + (n - (count - 1) / 2) * wide + random.range(-0.02, 0.02),
      lift: lead.lift + lift,
      scale: scale * random.range(0.82, 1.05),
    }
  })
}

function slotOf({ habit, size }: Puppet, { verb = '', name, held }: Wanted, place: string): Slot {
  const rests = RESTING.has(verb)
  if (habit === 'backdrop') return 'backdrop'
  if (place === 'table' && habit === 'air' && verb !== 'sit' && verb !== 'stand') return 'air'
  if (place === 'table') return habit === 'ground' && size > SMALL ? 'ground' : 'table'
  if (WEIGHTLESS.has(place)) return 'air'
  const isOnWater = name === 'surfer' || habit === 'sea' || habit === 'surface'
  if (isOnWater && !WATERS.has(place)) return habit === 'sea' && name !== 'seal' ? 'air' : 'ground'
  if (isOnWater) return 'surface'
  if (name === 'hummingbird') return 'air'
  if (isA('floating', name) && WATERS.has(place) && verb !== 'fly') return 'surface'
  if (isA('grounded', name) && verb !== 'fly') return 'ground'
  if (habit === 'air') return verb === 'swim' && WATERS.has(place) ? 'surface' : rests ? 'ground' : 'air'
  if (habit === 'table') return place === 'studio' || place === 'room' ? 'table' : 'ground'
  if (verb === 'fly') return isA('person', name) && held !== 'kite' ? 'air' : 'ground'
  if (WATERS.has(place) && place !== 'city' && (verb === 'float' || verb === 'swim')) return 'surface'
  return verb === 'float' || verb === 'orbit' ? 'air' : 'ground'
}

/** What each kind of figure can do of what a prompt says. Everything else becomes its usual action. */
const ABLE = {
  flyingPerson: new Set(['dance', 'fly', 'swim', 'fall']),
  bird: new Set(['rise', 'float', 'fall', 'land', 'orbit']),
  hovering: new Set(['fall', 'swim', 'orbit']),
  any: new Set(['fall', 'land', 'grow', 'sleep', 'sit', 'eat', 'jump', 'dance']),
} as const

/** Chooses what a figure can do: a car that runs drives, a fish always swims, a house stands. */
function verbFor({ habit, pace }: Puppet, { verb = '', name }: Wanted, slot: Slot, mount: Wanted | undefined): string {
  const own = verbOf(name)
  const oneOf = (able: ReadonlySet<string>, usual: string) => (able.has(verb) ? verb : usual)
  if (mount && habit !== 'surface')
    return [verb, mount.verb].includes('run') ? 'run' : verb === 'stand' && isBeast(mount.name) ? 'stand' : 'walk'
  if (slot === 'backdrop') return 'stand'
  if (own === 'drive') return verb === 'stand' || verb === 'sit' ? 'stand' : 'drive'
  if (own === 'sail' || mount) return 'sail'
  if (habit === 'sea') return verb === 'jump' ? 'jump' : 'swim'
  if (isA('person', name)) {
    if (verb === 'drive' || verb === 'rise') return 'walk'
    if (slot === 'air' && verb !== 'sail') return oneOf(ABLE.flyingPerson, 'float')
    return ['', 'fish', 'water', 'fly'].includes(verb) ? 'stand' : verb
  }
  if (habit === 'air' && slot === 'air') return own ?? oneOf(ABLE.bird, 'fly')
  if (habit === 'air') return verb === 'swim' || slot === 'surface' ? 'swim' : verb === 'eat' ? 'eat' : 'stand'
  if (slot === 'air') return oneOf(ABLE.hovering, 'float')
  if (ABLE.any.has(verb) || (verb && pace?.(verb))) return verb
  return own ?? (verb === '' && isBeast(name) ? 'walk' : 'stand')
}

/** Moves those that are on, behind, under, above or on the way into something to where it is. */
function relate(cast: Entry[]): void {
  for (const entry of [...cast]) {
    const { kind, to } = entry.wanted.relation ?? {}
    const target = cast.find(({ wanted }) => wanted.name === to)
    const base = target?.actors[0]
    if (!kind || !base) continue
    if (kind in GAPS) {
      meet(kind as keyof typeof GAPS, entry, target)
      continue
    }
    const middle = entry.actors.reduce((sum, { x }) => sum + x, 0) / entry.actors.length
    entry.actors = entry.actors.map((actor) => related(kind, { ...actor, x: base.x + actor.x - middle }, base) ?? actor)
    if (kind !== 'on' && kind !== 'into' && kind !== 'behind') continue
    cast.splice(cast.indexOf(entry), 1)
    cast.splice(cast.indexOf(target) + (kind === 'on' ? 1 : 0), 0, entry)
  }
}

/** How far apart two figures are that do something with each other, in half lengths of both. */
const GAPS = { hug: 0.66, catch: 0.95, propose: 1.7, face: 1.8, chase: 2 } as const

const heightOf = ({ puppet, scale }: Actor) => puppet.size * scale
const isPerson = ({ puppet }: Actor) => puppet.box[0] === -0.75
const halfOf = (actor: Actor) =>
  heightOf(actor) * (isPerson(actor) ? 0.26 : ((actor.puppet.box[2] - actor.puppet.box[0]) / 2) * 0.52)

/** Puts two subjects, or copies of one, face to face. A hunter runs behind its prey, and what is caught is at hand. */
function meet(kind: keyof typeof GAPS, entry: Entry, target: Entry): void {
  const [a, b] = [entry.actors[0]!, target.actors.at(-1)!]
  const gap = (halfOf(a) + halfOf(b)) * GAPS[kind]
  const still = (actor: Actor, verb: string) => (actor.slot === 'ground' && kind !== 'chase' ? verb : actor.verb)
  const pose = (actor: Actor) => still(actor, kind === 'hug' && isPerson(actor) ? 'hug' : 'stand')
  if (entry === target) {
    const { length } = entry.actors
    entry.actors = entry.actors.map((actor, i) => {
      const side = kind === 'chase' || i < length / 2 ? 1 : -1
      return { ...actor, x: (i - (length - 1) / 2) * gap, side, verb: pose(actor) }
    })
    return
  }
  const side = a.x <= b.x ? 1 : -1
  const middle = b.slot === 'backdrop' ? b.x - (side * gap) / 2 : (a.x + b.x) / 2
  const by = (actors: readonly Actor[], to: number, over: (actor: Actor) => Partial<Actor>) =>
    actors.map((actor) => ({ ...actor, x: actor.x - actors[0]!.x + to, ...over(actor) }))
  const isSmall = kind === 'catch' && b.slot !== 'backdrop' && heightOf(b) < heightOf(a) * 0.9
  entry.actors = by(entry.actors, middle - (side * gap) / 2, (actor) => ({
    side,
    verb: kind === 'propose' || kind === 'catch' ? (isPerson(actor) ? actor.verb : still(actor, 'stand')) : pose(actor),
  }))
  target.actors = by(target.actors, middle + (side * gap) / 2, (actor) => ({
    side: kind === 'chase' ? side : (-side as 1 | -1),
    verb: pose(actor),
    ...(isSmall && { slot: a.slot, lift: a.lift - heightOf(a) * (isPerson(a) ? 0.72 : 0.55) }),
  }))
}

/** Returns an actor in its relation to another one, which is at the same x. */
function related(kind: string, actor: Actor, base: Actor): Actor | undefined {
  const { slot, side, lift, puppet } = base
  const height = puppet.size * base.scale
  const own = actor.puppet.size * actor.scale
  if (kind === 'behind') return { ...actor, x: actor.x - 0.14 * side, slot, scale: actor.scale * 0.9, verb: 'stand' }
  if (kind === 'under') return { ...actor, x: actor.x - 0.12 * Math.sign(base.x || 1) }
  if (kind === 'over') return { ...actor, slot: 'air', lift: actor.lift - 0.06 }
  if (kind === 'into')
    return actor.verb === 'fall' ? { ...actor, slot, scale: actor.scale * 0.5, lift: -height * 0.45 } : undefined
  const top = slot === 'backdrop' ? 0.6 : -puppet.box[1] > 1.3 ? 0.86 : Math.min(1, -puppet.box[1]) * 0.82
  const small = slot === 'backdrop' ? 0.9 : own < height * 0.5 ? 1.1 : own > height * 1.6 ? 0.8 : 1
  return {
    ...{ ...actor, slot, scale: actor.scale * small },
    verb: actor.verb === 'fly' || actor.verb === 'walk' ? 'stand' : actor.verb,
    lift: lift - height * top - (actor.puppet.habit === 'air' ? own * 0.1 : 0),
  }
}
