import { readFileSync } from 'node:fs'
import type { Pen, Point } from './puppet.ts'
import { paintShapesAt, type Shape } from './shapes.ts'

type Wardrobe = Readonly<Record<'hats' | 'held' | 'worn' | 'ridden', Readonly<Record<string, readonly Shape[]>>>>
const WARDROBE: Wardrobe = JSON.parse(readFileSync(new URL('../rigs/wardrobe.json', import.meta.url), 'utf8'))

/** Paints a hat on a head of radius `size`. */
export const paintHat = (pen: Pen, hat: string, at: Point, size: number, colour: string): void =>
  paintShapesAt(pen, { shapes: WARDROBE.hats[hat], at, size }, { coat: colour }, 0)

/** Paints what a person holds in a hand. A colour dyes it. */
export const paintHeld = (pen: Pen, held: string, at: Point, seconds: number, colour?: string): void =>
  paintShapesAt(pen, { shapes: WARDROBE.held[held], at }, colour ? { ...HELD_TONES, own: colour } : HELD_TONES, seconds)

const HELD_TONES = { own: '#d8402f' }

/** Paints what a person wears on the back, or stands on, behind the figure. */
export function paintProp(pen: Pen, prop: string, neck: Point, seconds: number): void {
  paintShapesAt(pen, { shapes: WARDROBE.worn[prop], at: neck }, {}, seconds)
  paintShapesAt(pen, { shapes: WARDROBE.ridden[prop], at: [0, 0] }, {}, seconds)
}
