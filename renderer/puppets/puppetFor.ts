import { mix } from '../paint.ts'
import { lexicon } from '../reading/lexicon.ts'
import type { Reading, Wanted } from '../reading/readPrompt.ts'
import { type Beast, beast, mounted } from './beast.ts'
import { type Bird, bird } from './bird.ts'
import { type Fish, fish } from './fish.ts'
import { iconFigure } from './iconFigure.ts'
import { type Paper, paper } from './paper.ts'
import { type Person, person } from './person.ts'
import type { Puppet } from './puppet.ts'
import { loadRigs } from './rigs.ts'

const BEASTS = loadRigs<Beast>('beasts')
const PEOPLE = loadRigs<Person>('people')
const BIRDS = loadRigs<Bird>('birds')
const FISHES = loadRigs<Fish>('fishes')
const PAPER: Readonly<Record<string, Paper>> = { ...loadRigs<Paper>('paper'), ...loadRigs<Paper>('creatures') }

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ...{ couple: ['man', 'woman'], oldCouple: ['elder', 'granny'], twins: ['girl', 'girl'], friends: ['boy', 'girl'] },
  family: ['man', 'girl', 'woman'],
}
/** Riders whose name says what they ride. */
const RIDERS: Readonly<Record<string, readonly [rider: string, mount: string]>> = {
  ...{ cyclist: ['runner', 'bicycle'], biker: ['worker', 'motorcycle'], jockey: ['fighter', 'horse'] },
}

export const verbOf = (name: string) => PAPER[name]?.verb
/** Returns whether a figure of its own or an icon exists for a subject. */
export const canDraw = (name: string) =>
  [BEASTS, PEOPLE, BIRDS, FISHES, PAPER, GROUPS, RIDERS, lexicon().icons].some((table) => Object.hasOwn(table, name)) ||
  iconNamed(name) !== undefined

/** Returns the icon of a subject that has a name of its own in the lexicon. */
const iconNamed = (name: string) => {
  const { icons, nameOf, iconOf } = lexicon()
  return icons[iconOf(name) ?? nameOf({ kind: 'subject', value: name }, 'en')?.replaceAll(' ', '-') ?? '']
}

/** Returns the figure for a subject, on or in what it rides. */
export async function puppetFor(wanted: Wanted, { season }: Reading, mount?: Wanted): Promise<Puppet | undefined> {
  const { name, colour, verb } = wanted
  const role = PEOPLE[name]
  if (role) return personFor(dressed(role, wanted), wanted, mount)
  if (GROUPS[name]) {
    const { held, heldColour } = wanted
    return sideBySide(GROUPS[name].map((each, i) => person({ ...PEOPLE[each]!, ...(i === 0 && { held, heldColour }) })))
  }
  if (RIDERS[name]) return riding(RIDERS[name], colour)
  if (name === 'panda' && verb !== 'walk' && verb !== 'run') return cut('sittingPanda')
  if (BEASTS[name]) return beast(dyed(BEASTS[name], colour))
  if (BIRDS[name]) return bird(colour ? { ...BIRDS[name], coat: colour } : BIRDS[name])
  if (FISHES[name]) return fish(colour ? { ...FISHES[name], back: colour } : FISHES[name])
  if (name === 'motorcycle' && verb && verb !== 'stand')
    return seated(name, colour, person({ outfit: 'plain', colour: '#2d2d3b', hat: 'hood' }))
  if (PAPER[name]) return cut(name, colour ?? PAPER[name].seasons?.[season ?? ''])
  const icon = wanted.isIcon ? lexicon().icons[name] : iconNamed(name)
  return icon && iconFigure(icon, colour)
}

function personFor(role: Person, { verb }: Wanted, mount: Wanted | undefined): Puppet {
  const ridden = BEASTS[mount?.name ?? '']
  if (ridden) return mounted(dyed(ridden, mount!.colour), person(role))
  if (mount && PAPER[mount.name]?.seat) return seated(mount.name, mount.colour, person(role))
  return mount || verb === 'sail' ? seated('rowboat', mount?.colour, person(role)) : person(role)
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

function cut(name: string, colour?: string): Puppet {
  const spec = PAPER[name]!
  const { parts } = typeof spec.parts === 'string' ? PAPER[spec.parts]! : spec
  return paper(spec, parts as Exclude<Paper['parts'], string>, colour)
}

/** Puts a person on a bicycle or into a boat. */
function seated(name: string, colour: string | undefined, rider: Puppet): Puppet {
  const vehicle = cut(name, colour)
  const [x, y, height] = PAPER[name]!.seat!
  const [left, top, right, bottom] = vehicle.box
  const isBoat = vehicle.habit === 'surface'
  return {
    ...vehicle,
    box: [Math.min(left, -1.2), Math.min(top, y - height * 1.15), Math.max(right, 1.4), bottom],
    paint(pen, pose) {
      const paintVehicle = () => {
        vehicle.paint(pen, { ...pose, verb: isBoat ? 'sail' : pose.verb === 'stand' ? 'stand' : 'drive' })
      }
      if (!isBoat) paintVehicle()
      pen.save()
      pen.translate(x, y)
      pen.scale(height, height)
      rider.paint(pen, { ...pose, verb: isBoat ? 'sit' : 'ride' })
      pen.restore()
      if (isBoat) paintVehicle()
    },
  }
}

function riding([rider, mount]: readonly [string, string], colour: string | undefined): Puppet {
  const figure = person(PEOPLE[rider]!)
  return BEASTS[mount] ? mounted(dyed(BEASTS[mount], colour), figure) : seated(mount, colour, figure)
}

/** Two or three people side by side, hand in hand. */
const sideBySide = (people: readonly Puppet[]): Puppet => ({
  ...people[0]!,
  box: [-1, -1.35, 1, 0.1],
  paint(pen, pose) {
    pen.translate(-0.22 * (people.length - 1), 0)
    for (const [i, each] of people.entries()) {
      if (i > 0) pen.translate(0.42, 0)
      each.paint(pen, { ...pose, seconds: pose.seconds + 0.57 * i })
    }
  },
})
