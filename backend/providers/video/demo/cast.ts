import type { Actor, Slot } from './actor.ts'
import type { Puppet } from './puppets/puppet.ts'
import { isBeast, puppetFor, verbOf } from './puppets/puppetFor.ts'
import { createRandom, hashText } from './random.ts'
import { lexicon } from './reading/lexicon.ts'
import { MOUNTS, PEOPLE, type Reading, type Wanted } from './reading/readPrompt.ts'

const SEA_PLACES = new Set(['ocean', 'mountain', 'beach', 'garden', 'watertown'])
const WATERS = new Set(['ocean', 'beach', 'mountain', 'city', 'watertown'])
const WEIGHTLESS = new Set(['space', 'sky', 'underwater'])
/** Birds that stay on the ground or water unless the prompt says that they fly. */
const GROUNDED = new Set(['chicken', 'peacock', 'flamingo', 'duck', 'swan', 'goose', 'owl'])
const FLOATING = new Set(['duck', 'swan', 'goose'])
const SMALL = 0.21

/** Returns where a reading takes place: where the prompt says, else where its first subject is at home. */
export function placeOf({ subjects, place }: Reading): string {
  const homes = subjects.map(({ name }) => lexicon().homeOf(name))
  const areSwimming =
    subjects.length > 0 &&
    subjects.every(
      ({ name, verb }, i) => (homes[i] === 'underwater' || name === 'turtle') && verb !== 'jump' && verb !== 'walk',
    )
  if (areSwimming && (!place || SEA_PLACES.has(place))) return 'underwater'
  const rows = subjects.some(({ name, verb }) => PEOPLE.has(name) && verb === 'sail')
  const leaps = subjects.some(({ name, verb }, i) => homes[i] === 'underwater' && verb === 'jump' && name !== 'fish')
  if (!place && leaps) return 'ocean'
  if (!place && rows) return 'mountain'
  const hasFeet = subjects.map(
    ({ name, verb }) =>
      (PEOPLE.has(name) || isBeast(name)) &&
      verb !== 'sail' &&
      verb !== 'fly' &&
      name !== 'surfer' &&
      name !== 'mermaid',
  )
  const orbits = subjects.some(({ name }) => name === 'earth')
  const isMeal = place === 'bamboo' && homes.length > 0 && homes.every((home) => home === 'table')
  if (isMeal) return 'table'
  const home = homes.find(
    (name, i) => name !== undefined && (name !== 'sky' || !hasFeet.some((feet, j) => feet && j !== i)),
  )
  const chosen = place ?? (orbits ? 'space' : (home ?? homes[0])) ?? 'studio'
  return chosen === 'ocean' && hasFeet.includes(true) ? 'beach' : chosen
}

/** Casts the subjects of a reading. The seed sets sides, phases and small distances, never who appears. */
export async function castOf(reading: Reading, place: string, seed: number): Promise<readonly Actor[]> {
  const random = createRandom(hashText(`${seed}/cast`))
  const side = random.pick([1, -1] as const)
  const subjects = [...reading.subjects]
  const cast: { wanted: Wanted; actors: Actor[] }[] = []
  const ridden = new Set(subjects.filter(rides).map(({ relation }) => relation!.to))
  const leads = subjects.filter(({ name }) => !ridden.has(name))
  const puppets = await Promise.all(
    leads.map((wanted) =>
      puppetFor(wanted, reading, rides(wanted) ? subjects.find(({ name }) => name === wanted.relation!.to) : undefined),
    ),
  )
  const fronts = puppets.filter((puppet) => puppet && puppet.habit !== 'backdrop').length
  let front = 0
  for (const [i, wanted] of leads.entries()) {
    const puppet = puppets[i]
    if (!puppet) continue
    const mount = rides(wanted) ? subjects.find(({ name }) => name === wanted.relation!.to) : undefined
    const slot = slotOf(puppet, wanted, place)
    const verb = verbFor(puppet, wanted, slot, mount)
    const isBack = slot === 'backdrop'
    const index = isBack ? 0 : front++
    const spread = fronts > 1 ? (index - (fronts - 1) / 2) * 0.46 : 0
    const x = isBack
      ? fronts > 0
        ? side * (puppet.size > 0.5 ? 0.3 : 0.26) * (i % 2 ? -1 : 1)
        : 0.03 * side
      : -side * spread
    const alone = leads.length === 1 && wanted.count === 1
    const scale =
      wanted.scale *
      (puppet.size > 0.4 ? (puppet.habit === 'air' ? 0.85 : 1) : alone ? 1.3 : wanted.count > 1 ? 0.92 : 1.1) *
      (puppet.size < 0.13 ? 1.35 : 1) *
      (wanted.count > 4 ? 0.72 : 1)
    const count = isBack ? Math.min(wanted.count, 3) : wanted.count
    const actors = Array.from({ length: count }, (_, n): Actor => {
      const row = n - (count - 1) / 2
      const own = (puppet.size * scale * (puppet.box[2] - puppet.box[0])) / 2.6
      const wide = Math.min(0.36, 1.5 / count, Math.max(0.17, own))
      const jitter = count > 1 ? random.range(-0.02, 0.02) : 0
      return {
        ...{ puppet, slot, verb, side },
        x: x + row * wide + jitter,
        lift:
          slot === 'air'
            ? count > 1
              ? random.range(-0.1, 0.1)
              : -0.05 * index
            : count > 1
              ? random.range(-0.015, 0.015) + (count > 4 ? 0.035 * (n % 2) : 0)
              : 0,
        scale: scale * (count > 1 ? random.range(0.82, 1.05) : 1),
        ahead: random.range(0, 3),
      }
    })
    // Figures with feet have their origin there: in the air, their middle is what counts.
    const middle = slot === 'air' && puppet.habit !== 'air' && puppet.habit !== 'sea' ? puppet.size * scale * 0.5 : 0
    cast.push({ wanted, actors: actors.map((actor) => ({ ...actor, lift: actor.lift + middle })) })
  }
  relate(cast)
  return cast.flatMap(({ actors }) => actors)
}

const rides = ({ name, relation }: Wanted) =>
  PEOPLE.has(name) && relation?.kind === 'on' && (MOUNTS.has(relation.to) || relation.to.endsWith('cycle'))

function slotOf({ habit, size }: Puppet, { verb, name, held }: Wanted, place: string): Slot {
  if (habit === 'backdrop') return 'backdrop'
  if (place === 'table')
    return habit === 'air' && verb !== 'sit' && verb !== 'stand'
      ? 'air'
      : habit === 'ground' && size > SMALL
        ? 'ground'
        : 'table'
  if (WEIGHTLESS.has(place)) return 'air'
  if (name === 'surfer' || habit === 'sea' || habit === 'surface')
    return WATERS.has(place) ? 'surface' : habit === 'sea' && name !== 'seal' ? 'air' : 'ground'
  if (name === 'hummingbird') return 'air'
  if (FLOATING.has(name) && WATERS.has(place) && verb !== 'fly') return 'surface'
  if (GROUNDED.has(name) && verb !== 'fly') return 'ground'
  if (habit === 'air')
    return verb === 'swim' && WATERS.has(place)
      ? 'surface'
      : ['stand', 'sit', 'walk', 'eat', 'sleep', 'swim'].includes(verb ?? '')
        ? 'ground'
        : 'air'
  if (habit === 'table') return place === 'studio' ? 'table' : 'ground'
  if (verb === 'fly') return PEOPLE.has(name) && held !== 'kite' ? 'air' : 'ground'
  return ['float', 'orbit'].includes(verb ?? '') ? 'air' : 'ground'
}

/** Chooses what a figure can do: a car that runs drives, a fish always swims, a house stands. */
function verbFor({ habit, pace }: Puppet, { verb, name }: Wanted, slot: Slot, mount: Wanted | undefined): string {
  if (mount)
    return mount.verb === 'run' || verb === 'run' ? 'run' : verb === 'stand' && isBeast(mount.name) ? 'stand' : 'walk'
  if (slot === 'backdrop') return 'stand'
  const own = verbOf(name)
  if (own === 'drive') return verb === 'stand' || verb === 'sit' ? 'stand' : 'drive'
  if (own === 'sail') return 'sail'
  if (habit === 'sea') return verb === 'jump' ? 'jump' : 'swim'
  if (PEOPLE.has(name)) {
    if (verb === 'drive' || verb === 'sail' || verb === 'rise') return verb === 'sail' ? 'sail' : 'walk'
    if (slot === 'air') return verb && ['dance', 'fly', 'swim', 'fall'].includes(verb) ? verb : 'float'
    return verb === 'fish' || verb === 'water' || verb === 'fly' ? 'stand' : (verb ?? 'stand')
  }
  if (habit === 'air') {
    if (slot === 'air') return own ?? (verb && ['rise', 'float', 'fall', 'land', 'orbit'].includes(verb) ? verb : 'fly')
    return verb === 'swim' || slot === 'surface' ? 'swim' : verb === 'eat' ? 'eat' : 'stand'
  }
  if (slot === 'air') return verb === 'fall' || verb === 'swim' || verb === 'orbit' ? verb : 'float'
  if (verb === 'fall' || verb === 'land' || verb === 'grow' || verb === 'sleep' || verb === 'sit' || verb === 'eat')
    return verb
  if (verb && (pace?.(verb) || verb === 'jump' || verb === 'dance')) return verb
  if (own) return own
  return verb === undefined && isBeast(name) ? 'walk' : 'stand'
}

/** Moves those that are on, behind, under, above or on the way into something to where it is. */
function relate(cast: { wanted: Wanted; actors: Actor[] }[]): void {
  for (const entry of [...cast]) {
    const { kind, to } = entry.wanted.relation ?? {}
    const target = cast.find(({ wanted }) => wanted.name === to)
    const base = target?.actors[0]
    if (!base) continue
    const height = base.puppet.size * base.scale
    const moved = (actor: Actor): Actor => {
      const own = actor.puppet.size * actor.scale
      const inPlace = { ...actor, x: base.x }
      if (kind === 'on') {
        const top =
          base.slot === 'backdrop' ? 0.6 : -base.puppet.box[1] > 1.3 ? 0.86 : Math.min(1, -base.puppet.box[1]) * 0.82
        const small = base.slot === 'backdrop' ? 0.9 : own < height * 0.5 ? 1.1 : own > height * 1.6 ? 0.8 : 1
        const rest = actor.verb === 'fly' || actor.verb === 'walk' ? 'stand' : actor.verb
        return {
          ...inPlace,
          slot: base.slot,
          verb: rest,
          scale: actor.scale * small,
          lift: base.lift - height * top - (actor.puppet.habit === 'air' ? own * 0.1 : 0),
        }
      }
      if (kind === 'behind')
        return { ...inPlace, x: base.x - 0.14 * base.side, slot: base.slot, scale: actor.scale * 0.9, verb: 'stand' }
      if (kind === 'under') return { ...inPlace, x: base.x - 0.12 * Math.sign(base.x || 1) }
      if (kind === 'over') return { ...inPlace, slot: 'air', lift: actor.lift - 0.06 }
      if (kind === 'into' && actor.verb === 'fall')
        return { ...inPlace, slot: base.slot, scale: actor.scale * 0.5, lift: -height * 0.45 }
      return actor
    }
    entry.actors = entry.actors.map(moved)
    if (kind === 'on' || kind === 'into' || kind === 'behind') reorder(cast, entry, target, kind === 'on')
  }
}

function reorder<T>(list: T[], entry: T, target: T, after: boolean): void {
  list.splice(list.indexOf(entry), 1)
  list.splice(list.indexOf(target) + (after ? 1 : 0), 0, entry)
}
