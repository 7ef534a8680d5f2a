import { isBeast, loadRigs } from '../puppets/rigs.ts'
import { isA } from './kinds.ts'
import { lexicon } from './lexicon.ts'
import { sails } from './placeOf.ts'
import type { Wanted } from './readPrompt.ts'

type Cut = Readonly<{ verb?: string; habit: string; pace: number; grows?: boolean; steam?: unknown }>

const CUTS: Readonly<Record<string, Cut>> = { ...loadRigs<Cut>('paper'), ...loadRigs<Cut>('creatures') }
const [BIRDS, FISHES] = [loadRigs('birds'), loadRigs('fishes')]
const WATERS = new Set(['ocean', 'beach', 'mountain', 'watertown', 'city'])
const WEIGHTLESS = new Set(['space', 'sky', 'underwater'])

/** What each kind of figure can be seen doing, apart from standing. */
const SHOWN = {
  person: new Set('run walk dance jump sit sail fly swim float fall land orbit hug kneel catch'.split(' ')),
  weightless: new Set('dance fly swim fall float'.split(' ')),
  beast: new Set('run walk jump dance eat sleep sit fall land'.split(' ')),
  bird: new Set('fly eat sit rise float fall land orbit'.split(' ')),
  fish: new Set(['swim', 'jump']),
  icon: new Set('run walk drive fly swim sail jump dance fall land'.split(' ')),
} as const

/** Returns whether a thing gives off steam. */
export const steams = (name: string): boolean => CUTS[name]?.steam !== undefined

/** Returns what a subject is seen doing instead of, or as, the verb of the prompt; undefined if it only stands there. */
export function actOf(subject: Wanted, verb: string, place: string): string | undefined {
  const { name, relation, held } = subject
  if (verb === 'stand') return verb
  const isPerson = isA('person', name)
  if (isPerson && verb === 'drive') return relation?.kind === 'on' || sails(subject) ? verb : undefined
  if (isPerson && (verb === 'water' || verb === 'fish')) return held && verb
  if (isPerson && WEIGHTLESS.has(place)) return SHOWN.weightless.has(verb) ? verb : 'float'
  if (isPerson) return verb === 'sleep' ? 'sit' : SHOWN.person.has(verb) ? verb : undefined
  const isAfloat = WATERS.has(place) || place === 'underwater'
  if (BIRDS[name] && verb === 'glide') return isAfloat ? 'swim' : 'fly'
  if (isAfloat && (verb === 'swim' || verb === 'float')) return verb
  if (isBeast(name)) return SHOWN.beast.has(verb) ? verb : undefined
  if (BIRDS[name]) return SHOWN.bird.has(verb) ? verb : undefined
  const cut = CUTS[name]
  if (FISHES[name] || cut?.habit === 'sea') return SHOWN.fish.has(verb) ? verb : 'swim'
  if (cut) return actOfCut(cut, verb)
  return verb === 'fall' || (lexicon().homeOf(name) !== 'table' && SHOWN.icon.has(verb)) ? verb : undefined
}

function actOfCut({ verb: own, habit, grows, pace }: Cut, verb: string): string | undefined {
  if (own === 'drive' || own === 'sail') return ['run', 'walk', 'drive', 'sail'].includes(verb) ? own : undefined
  if (habit === 'backdrop') return undefined
  if (own && habit === 'air' && ['fly', 'float', 'rise', 'glide'].includes(verb)) return own
  if (verb === 'grow') return grows ? verb : undefined
  if (verb === own || verb === 'fall' || verb === 'land') return verb
  return pace > 0 && ['run', 'walk', 'fly', 'dance'].includes(verb) ? verb : undefined
}
