import { Path2D, type SKRSContext2D } from '@napi-rs/canvas'
import { fillEllipse } from './paint.ts'

/** Paints a figure, one unit tall and with its feet at the origin, in the current fill and stroke colours. Up is -y. */
export type Silhouette = (context: SKRSContext2D, seconds: number) => void

const SIDES = [-1, 1]

/** @param path SVG path data */
const fillPath = (context: SKRSContext2D, path: string) => context.fill(new Path2D(path))

function strokeTail(context: SKRSContext2D, width: number, path: string): void {
  context.lineWidth = width
  context.lineCap = 'round'
  context.stroke(new Path2D(path))
}

/** Paints a sitting cat, seen from the front, with a swaying tail. */
export const paintCat: Silhouette = (context, seconds) => {
  const breath = 0.008 * Math.sin(seconds * 2.1)
  const wag = Math.sin(seconds * 1.9) * 0.16
  const [flank, shoulder] = [-0.44 - breath, -0.58 - breath]
  strokeTail(context, 0.07, `M .15 -.04 C .42 .03 .5 ${-0.16 + wag * 0.3} ${0.43 + wag * 0.4} ${-0.42 - wag * 0.2}`)
  fillPath(
    context,
    `M -.22 0 C -.32 -.16 -.26 ${flank} -.12 ${shoulder} L .12 ${shoulder} C .26 ${flank} .32 -.16 .22 0 Z`,
  )
  fillEllipse(context, 0, -0.71, 0.175, 0.15)
  for (const side of SIDES) {
    const [base, outer, tip, inner, end] = [0.165, 0.17, 0.15, 0.08, 0.03].map((x) => side * x)
    fillPath(context, `M ${base} -.75 Q ${outer} -.92 ${tip} -.99 Q ${inner} -.93 ${end} -.84 Z`)
    fillEllipse(context, side * 0.07, -0.02, 0.075, 0.045)
  }
}

const DOG_BODY = `
  M -.24 0 C -.36 -.16 -.26 -.38 -.1 -.5 C -.04 -.56 -.04 -.66 -.02 -.72 C 0 -.86 .1 -.92 .19 -.88
  C .24 -.86 .26 -.82 .29 -.79 L .39 -.755 C .43 -.73 .42 -.68 .37 -.67 C .3 -.65 .24 -.64 .2 -.6
  C .22 -.5 .2 -.42 .17 -.36 L .15 -.05 Q .23 -.05 .23 0 Z`
const DOG_EAR = 'M .09 -.9 C -.02 -.92 -.1 -.8 -.08 -.64 C 0 -.6 .06 -.7 .1 -.78 Z'

/** Paints a sitting dog in profile, facing right, with a wagging tail. */
export const paintDog: Silhouette = (context, seconds) => {
  const wag = Math.sin(seconds * 5) * 0.1
  strokeTail(context, 0.06, `M -.22 -.06 Q -.42 ${-0.1 - wag * 0.3} ${-0.46 + wag * 0.3} ${-0.3 - wag}`)
  fillPath(context, DOG_BODY)
  fillPath(context, DOG_EAR)
}

/** Paints a person in a long coat, seen from behind, whose weight shifts slightly. */
export const paintPerson: Silhouette = (context, seconds) => {
  const shift = 0.004 * Math.sin(seconds * 1.2)
  const wind = 0.012 * Math.sin(seconds * 1.7) + 0.006 * Math.sin(seconds * 3.1)
  fillEllipse(context, shift, -0.925, 0.052, 0.066)
  fillPath(
    context,
    `M ${-0.03 + shift} -.88 L -.032 -.845 C -.1 -.83 -.135 -.815 -.14 -.76 C -.165 -.62 -.17 -.55 -.165 -.47
     L -.135 -.46 L -.115 -.6 C -.115 -.48 -.13 -.36 ${-0.145 + wind} -.26
     Q ${wind} -.235 ${0.145 + wind * 1.6} -.26 C .13 -.36 .115 -.48 .115 -.6 L .135 -.46 L .165 -.47
     C .17 -.55 .165 -.62 .14 -.76 C .135 -.815 .1 -.83 .032 -.845 L ${0.03 + shift} -.88 Z`,
  )
  for (const side of SIDES) {
    const [inner, hip, calf, heel, toe, arch] = [0.015, 0.095, 0.088, 0.075, 0.1, 0.025].map((x) => side * x)
    fillPath(context, `M ${inner} -.3 L ${hip} -.3 Q ${calf} -.12 ${heel} -.02 L ${toe} 0 L ${arch} 0 Z`)
  }
}
