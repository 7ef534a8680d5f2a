import { isBeast } from '../puppets/rigs.ts'
import { isA } from './kinds.ts'
import { lexicon } from './lexicon.ts'
import type { Reading, Wanted } from './readPrompt.ts'

const SEA_PLACES = new Set(['ocean', 'mountain', 'beach', 'garden', 'watertown'])

/** Returns whether a subject is in or on a boat. */
export const sails = ({ relation }: Wanted) =>
  (relation?.kind === 'on' || relation?.kind === 'into') && isA('boat', relation.to)

/** Returns where a reading takes place: where the prompt says, else where its first subject is at home. */
export function placeOf({ subjects, place }: Reading): string {
  const homes = subjects.map(({ name }) => lexicon().homeOf(name))
  const isMarine = (i: number) => homes[i] === 'underwater'
  const leaves = (verb: string | undefined) => verb === 'jump' || verb === 'walk'
  const swim = subjects.every(({ name, verb }, i) => (isMarine(i) || name === 'turtle') && !leaves(verb))
  if (subjects.length > 0 && swim && (!place || SEA_PLACES.has(place))) return 'underwater'
  if (!place && subjects.some(({ name, verb }, i) => isMarine(i) && verb === 'jump' && name !== 'fish')) return 'ocean'
  const rows = subjects.some((subject) => isA('person', subject.name) && (subject.verb === 'sail' || sails(subject)))
  if (!place && rows) return 'mountain'
  const feet = subjects.filter(
    ({ name, verb }) =>
      (isA('person', name) || isBeast(name)) &&
      !['sail', 'fly'].includes(verb ?? '') &&
      !['surfer', 'mermaid'].includes(name),
  )
  const hasPeople = subjects.some(({ name }) => isA('person', name))
  if ((hasPeople && (place ?? homes[0]) === 'table') || (!place && homes.includes('room'))) return 'room'
  if (place === 'room' && !hasPeople && homes.length > 0 && homes.every((home) => home === 'table')) return 'table'
  if ((place === 'bamboo' || place === 'city') && homes.length > 0 && homes.every((home) => home === 'table'))
    return 'table'
  const isGrounded = (i: number) => feet.some((other) => other !== subjects[i])
  const home = homes.find((name, i) => name !== undefined && (name !== 'sky' || !isGrounded(i))) ?? homes[0]
  const orbits = subjects.some(({ name }) => name === 'earth')
  const chosen = place ?? (orbits ? 'space' : home) ?? 'studio'
  return chosen === 'ocean' && feet.length > 0 && !rows ? 'beach' : chosen
}
