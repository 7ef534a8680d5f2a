import { readFileSync } from 'node:fs'
import { mix } from '../paint.ts'
import { lexicon } from '../reading/lexicon.ts'
import type { Reading, Wanted } from '../reading/readPrompt.ts'
import { type Beast, beast, mounted } from './beast.ts'
import { type Bird, bird } from './bird.ts'
import { butterfly, dragon, jellyfish, sittingPanda, tree } from './creatures.ts'
import { type Fish, fish } from './fish.ts'
import { iconFigure } from './iconFigure.ts'
import { type Paper, paper } from './paper.ts'
import { type Person, person } from './person.ts'
import type { Puppet } from './puppet.ts'

const load = <T>(name: string): Readonly<Record<string, T>> =>
  JSON.parse(readFileSync(new URL(`../rigs/${name}.json`, import.meta.url), 'utf8'))
const BEASTS = load<Beast>('beasts')
const PEOPLE = load<Person>('people')
const BIRDS = load<Bird>('birds')
const FISHES = load<Fish>('fishes')
const PAPER = load<Paper>('paper')

const LEAVES = { spring: '#93c152', summer: '#4f8a44', autumn: '#d8842c', winter: '#d9e0ea' } as const

/** Figures that no table of numbers describes. */
const OTHERS: Readonly<Record<string, (colour: string | undefined, reading: Reading) => Puppet>> = {
  jellyfish: (colour) => jellyfish(colour),
  butterfly: (colour) => butterfly(colour),
  dragon: (colour) => dragon(colour ?? '#a8323a', true),
  loong: (colour) => dragon(colour ?? '#d89a2c', false),
  cherryTree: (colour) => tree(colour ?? '#f4a9c0', 0.62),
  mapleTree: (colour) => tree(colour ?? '#d8602c', 0.58),
  tree: (colour, { season }) => tree(colour ?? LEAVES[season as keyof typeof LEAVES] ?? '#4f8a44', 0.58),
}

export const isBeast = (name: string) => Object.hasOwn(BEASTS, name)
export const verbOf = (name: string) => PAPER[name]?.verb
/** Returns whether a figure of its own or an icon exists for a subject. */
export const canDraw = (name: string) =>
  [BEASTS, PEOPLE, BIRDS, FISHES, PAPER, OTHERS, HYBRIDS, lexicon().icons].some((table) =>
    Object.hasOwn(table, name),
  ) || iconNamed(name) !== undefined

/** Icons of subjects that have a name of their own in the lexicon. */
const iconNamed = (name: string) => {
  const label = lexicon().nameOf({ kind: 'subject', value: name }, 'en')
  return lexicon().icons[label?.replaceAll(' ', '-') ?? ''] ?? lexicon().icons[ICONS[name] ?? '']
}
const ICONS: Readonly<Record<string, string>> = {
  satellite: 'satellite',
  fries: 'french-fries',
  shell: 'spiral-shell',
  bee: 'honeybee',
}

const HYBRIDS: Readonly<Record<string, (wanted: Wanted) => Puppet>> = {
  couple: () => couple(),
  mermaid: ({ colour }) => mermaid(colour),
  panda: ({ verb }) => (verb === 'walk' || verb === 'run' ? beast(BEASTS.panda!) : sittingPanda()),
}

/** Returns the figure for a subject, on or in what it rides. */
export async function puppetFor(wanted: Wanted, reading: Reading, mount?: Wanted): Promise<Puppet | undefined> {
  const { name, colour } = wanted
  const role = PEOPLE[name]
  if (role && mount && BEASTS[mount.name])
    return mounted(dyed(BEASTS[mount.name]!, mount.colour), person({ ...role, ...(colour && { colour }) }))
  if (role && mount && PAPER[mount.name]?.seat) return seated(PAPER[mount.name]!, mount.colour, dressed(role, wanted))
  if (role && wanted.verb === 'sail') return seated(PAPER.rowboat!, undefined, dressed(role, wanted))
  if (HYBRIDS[name]) return HYBRIDS[name](wanted)
  if (role) return person(dressed(role, wanted))
  if (BEASTS[name]) return beast(dyed(BEASTS[name], colour))
  if (BIRDS[name]) return bird(colour ? { ...BIRDS[name], coat: colour } : BIRDS[name])
  if (FISHES[name]) return fish(colour ? { ...FISHES[name], back: colour } : FISHES[name])
  if (name === 'motorcycle' && wanted.verb && wanted.verb !== 'stand')
    return seated(PAPER[name]!, colour, { outfit: 'plain', colour: '#2d2d3b', hat: 'hood' })
  if (PAPER[name]) return paper(PAPER[name], colour)
  if (OTHERS[name]) return OTHERS[name](colour, reading)
  const icon = wanted.isIcon ? lexicon().icons[name] : iconNamed(name)
  return icon && iconFigure(icon)
}

const dressed = (role: Person, { colour, held, heldColour }: Wanted): Person => ({
  ...role,
  ...(colour && { colour }),
  ...(held && { held, heldColour }),
})

/** Dyes a coat. Pale parts stay pale, and dark stockings stay dark unless the animal is all of one colour. */
const dyed = (spec: Beast, colour: string | undefined): Beast =>
  colour
    ? {
        ...spec,
        coat: colour,
        ...(spec.pale && { pale: mix(colour, '#ffffff', 0.8) }),
        ...(!spec.coatMarks && spec.legs && colour > '#e' && { legs: colour }),
      }
    : spec

/** Puts a person on a bicycle or into a boat. */
function seated(spec: Paper, colour: string | undefined, role: Person): Puppet {
  const [vehicle, rider] = [paper(spec, colour), person(role)]
  const [x, y, height] = spec.seat!
  const verb = spec.habit === 'surface' ? 'sit' : 'ride'
  return {
    ...vehicle,
    box: [
      Math.min(spec.box[0], -1.2),
      Math.min(spec.box[1], y - height * 1.15),
      Math.max(spec.box[2], 1.4),
      spec.box[3],
    ],
    paint(pen, pose) {
      const place = () => {
        pen.save()
        pen.translate(x, y)
        pen.scale(height, height)
        rider.paint(pen, { ...pose, verb })
        pen.restore()
      }
      if (verb === 'sit') place()
      vehicle.paint(pen, {
        ...pose,
        verb: spec.habit === 'surface' ? 'sail' : pose.verb === 'stand' ? 'stand' : 'drive',
      })
      if (verb === 'ride') place()
    },
  }
}

/** Two people side by side, hand in hand. */
function couple(): Puppet {
  const [first, second] = [person(PEOPLE.man!), person(PEOPLE.woman!)]
  return {
    ...first,
    box: [-1, -1.35, 1, 0.1],
    paint(pen, pose) {
      for (const [figure, x] of [
        [first, -0.24],
        [second, 0.2],
      ] as const) {
        pen.save()
        pen.translate(x, 0)
        figure.paint(pen, x > 0 ? { ...pose, seconds: pose.seconds + 0.57 } : pose)
        pen.restore()
      }
    },
  }
}

/** A swimmer with the tail of a fish. */
function mermaid(colour = '#2f9a8a'): Puppet {
  const [tail, torso] = [
    fish({ ...FISHES.dolphin!, back: colour, belly: mix(colour, '#ffffff', 0.3), fin: 0 }),
    person({ outfit: 'dress', colour: '#c9648c', hair: 'long', hairColour: '#b5482f' }),
  ]
  return {
    ...tail,
    size: 0.28,
    box: [-1.2, -0.9, 1.3, 0.8],
    paint(pen, pose) {
      pen.save()
      pen.beginPath()
      pen.rect(-1.5, -1, 1.75, 2)
      pen.clip()
      tail.paint(pen, pose)
      pen.restore()
      pen.save()
      pen.translate(0.02, 0.02)
      pen.rotate(1.1)
      pen.beginPath()
      pen.rect(-1, -2, 2, 1.55)
      pen.clip()
      pen.translate(0, 0.25)
      pen.scale(1.1, 1.1)
      torso.paint(pen, { ...pose, verb: 'float' })
      pen.restore()
    },
  }
}
