import { mix } from '../paint.ts'
import { body, limb, line, oval, type Pen, type Point, polygon, wave } from './puppet.ts'

/** Paints a hat on a head of radius `r`. */
export function paintHat(pen: Pen, hat: string, [x, y]: Point, r: number, colour: string): void {
  const at = (dx: number, dy: number): Point => [x + dx * r, y + dy * r]
  const shapes: Record<string, () => void> = {
    straw: () => fill('#dab76c', at(-2, -0.35), at(0, -1.9), at(2, -0.35)),
    wizard: () => {
      fill(colour, at(-1, -0.6), at(-0.7, -3.4), at(1, -0.6))
      oval(pen, x, y - r * 0.55, r * 1.8, r * 0.22)
    },
    party: () => fill('#f2c43c', at(-0.7, -0.8), at(-0.1, -2.8), at(0.7, -0.8)),
    santa: () => {
      fill('#d9333b', at(-1, -0.6), at(-1.4, -2.2), at(1, -0.6))
      pen.fillStyle = '#ffffff'
      limb(pen, at(-1, -0.55), r * 0.25, at(1, -0.5), r * 0.25)
      oval(pen, x - r * 1.4, y - r * 2.2, r * 0.34)
    },
    cowboy: () => brim('#8b5b33', 1.9, 0.95),
    brim: () => brim('#3a3440', 1.5, 0.9),
    cap: () => {
      pen.fillStyle = mix(colour, '#201828', 0.25)
      pen.beginPath()
      pen.arc(x, y - r * 0.25, r * 1.04, Math.PI, 0)
      pen.fill()
      limb(pen, at(0.4, -0.3), r * 0.14, at(1.7, -0.22), r * 0.1)
    },
    chef: () => {
      pen.fillStyle = '#ffffff'
      for (const dx of [-0.7, 0, 0.7]) oval(pen, x + r * dx, y - r * 1.5, r * 0.62)
      pen.fillRect(x - r, y - r * 1.4, r * 2, r)
    },
    crown: () =>
      fill(
        '#f3c845',
        at(-1, -0.55),
        at(-1.1, -1.6),
        at(-0.45, -1),
        at(0, -1.8),
        at(0.45, -1),
        at(1.1, -1.6),
        at(1, -0.55),
      ),
    hood: () => {
      pen.fillStyle = colour
      pen.beginPath()
      pen.arc(x - r * 0.15, y - r * 0.1, r * 1.25, Math.PI * 0.55, Math.PI * 1.85)
      pen.fill()
    },
    helmet: () => {
      pen.fillStyle = mix(colour, '#000000', 0.25)
      pen.beginPath()
      pen.arc(x, y - r * 0.15, r * 1.2, Math.PI * 0.95, Math.PI * 2.02)
      pen.fill()
      polygon(pen, at(-1.2, -0.2), at(-1.8, 0.9), at(-0.6, 0.5))
      line(pen, '#e7c25b', r * 0.22, at(0.2, -1.2), at(0.6, -2.1), at(1.1, -1.3))
    },
  }
  const fill = (tone: string, ...points: readonly Point[]) => {
    pen.fillStyle = tone
    polygon(pen, ...points)
  }
  const brim = (tone: string, wide: number, high: number) => {
    fill(tone, at(-0.95, -0.6), at(-0.6, -0.6 - high), at(0.55, -0.6 - high), at(0.95, -0.6))
    oval(pen, x, y - r * 0.58, r * wide, r * 0.18)
  }
  shapes[hat]?.()
}

/** Paints what a person holds in the hand at (x, y). */
export function paintHeld(pen: Pen, held: string, [x, y]: Point, seconds: number, colour?: string): void {
  const sway = 0.03 * wave(seconds * 0.35)
  const at = (dx: number, dy: number): Point => [x + dx, y + dy]
  const things: Record<string, () => void> = {
    umbrella: () => {
      line(pen, '#3a2d31', 0.018, at(0, 0.06), at(-0.05, -0.5))
      const tone = colour ?? '#d9333b'
      for (const [half, shade] of [
        [0.36, 0],
        [0.14, 0.22],
      ] as const) {
        pen.fillStyle = mix(tone, '#200810', shade)
        pen.beginPath()
        pen.ellipse(x - 0.055, y - 0.3, half, 0.25, 0, Math.PI, 0)
        pen.fill()
      }
    },
    lantern: () => {
      line(pen, '#5a3a28', 0.014, at(0, 0), at(0.1, -0.04), at(0.1 + sway, 0.06))
      pen.fillStyle = colour ?? '#e2452f'
      oval(pen, x + 0.1 + sway, y + 0.14, 0.075, 0.09)
      pen.fillStyle = '#ffd57a'
      oval(pen, x + 0.1 + sway, y + 0.14, 0.035, 0.05)
    },
    sword: () => {
      line(pen, '#dfe5ee', 0.022, at(0.02, -0.02), at(0.3, -0.5))
      line(pen, '#a5803a', 0.03, at(-0.04, -0.07), at(0.09, 0.01))
    },
    staff: () => {
      line(pen, '#7a5230', 0.024, at(-0.08, 0.45), at(0.07, -0.5))
      pen.fillStyle = colour ?? '#f2c94a'
      oval(pen, x + 0.07, y - 0.53, 0.045)
    },
    rod: () => {
      line(pen, '#5b4030', 0.016, at(-0.06, 0.06), at(0.48, -0.42))
      line(pen, '#e8e8ee', 0.005, at(0.48, -0.42), at(0.52 + sway, 0.2))
    },
    balloon: () => {
      line(pen, '#e8e4ea', 0.007, at(0, 0), at(0.05 + sway, -0.34))
      pen.fillStyle = colour ?? '#e0453c'
      oval(pen, x + 0.05 + sway, y - 0.48, 0.12, 0.15)
    },
    kite: () => {
      line(pen, '#f0f0f4', 0.006, at(0, 0), at(0.66, -0.8 + sway))
      pen.fillStyle = colour ?? '#e4572f'
      polygon(pen, at(0.66, -1.12 + sway), at(0.86, -0.92 + sway), at(0.66, -0.66 + sway), at(0.48, -0.9 + sway))
      line(pen, '#f2c94a', 0.02, at(0.66, -0.66 + sway), at(0.56, -0.54), at(0.62, -0.46 - sway), at(0.5, -0.38))
    },
    flower: () => {
      line(pen, '#4a8a44', 0.016, at(0, 0.04), at(0.05, -0.1))
      for (let i = 0; i < 6; i++) {
        pen.fillStyle = i % 2 ? (colour ?? '#ee7fa5') : '#f8d8e2'
        oval(pen, x + 0.05 + 0.05 * Math.cos(i), y - 0.13 + 0.05 * Math.sin(i), 0.035)
      }
    },
    torch: () => {
      line(pen, '#6b4429', 0.03, at(0, 0.08), at(0, -0.14))
      pen.fillStyle = '#ff9a33'
      body(pen, [x, y - 0.14, 0.05], [x, y - 0.22, 0.055], [x + sway, y - 0.36, 0.005])
    },
    book: () => {
      pen.fillStyle = '#f4eee0'
      polygon(pen, at(-0.06, -0.04), at(0.02, 0), at(0.14, -0.06), at(0.12, 0.06), at(0.02, 0.11), at(-0.07, 0.06))
    },
    can: () => {
      pen.fillStyle = colour ?? '#4f8fb0'
      pen.fillRect(x - 0.02, y, 0.14, 0.13)
      line(pen, colour ?? '#4f8fb0', 0.028, at(0.1, 0.1), at(0.24, 0))
      for (let i = 0; i < 6; i++) {
        const fall = (seconds * 1.4 + i / 6) % 1
        pen.fillStyle = '#bfe2f5'
        oval(pen, x + 0.25 + fall * 0.1, y + fall * fall * 0.4, 0.01, 0.018)
      }
    },
    guitar: () => {
      line(pen, '#3a2620', 0.03, at(-0.1, 0.12), at(0.22, -0.06))
      pen.fillStyle = colour ?? '#c2662c'
      oval(pen, x - 0.16, y + 0.14, 0.12, 0.1, -0.5)
      oval(pen, x - 0.05, y + 0.09, 0.085, 0.075, -0.5)
      pen.fillStyle = '#3a2620'
      oval(pen, x - 0.1, y + 0.115, 0.03)
    },
    violin: () => {
      pen.fillStyle = '#a3562a'
      oval(pen, x - 0.14, y - 0.16, 0.09, 0.05, -0.2)
      line(pen, '#3a2620', 0.018, at(-0.12, -0.17), at(0.06, -0.21))
      line(pen, '#e8dcc0', 0.01, at(-0.22, 0.02 + sway), at(-0.02, -0.32 + sway))
    },
    microphone: () => {
      line(pen, '#3a3a46', 0.022, at(0, 0.04), at(-0.05, -0.12))
      pen.fillStyle = '#8a8f9c'
      oval(pen, x - 0.055, y - 0.14, 0.03)
    },
  }
  things[held]?.()
}

type Figure = Readonly<{ hip: Point; neck: Point; head: Point; seconds: number; verb: string }>

/** Paints what a person wears or stands on, behind the figure. */
export function paintProp(pen: Pen, prop: string | undefined, { hip, neck, seconds }: Figure): void {
  const flap = wave(seconds * 1.1)
  if (prop === 'skis') line(pen, '#c2443a', 0.024, [-0.36, 0.01], [0.4, 0.01], [0.48, -0.05])
  if (prop === 'board' || prop === 'skateboard') {
    line(
      pen,
      prop === 'board' ? '#f0b23c' : '#6b3fa0',
      prop === 'board' ? 0.05 : 0.035,
      [-0.36, 0],
      [0.34, 0],
      [0.42, -0.05],
    )
    pen.fillStyle = '#2a2630'
    if (prop === 'skateboard') for (const x of [-0.24, 0.24]) oval(pen, x, 0.04, 0.04)
  }
  if (prop === 'cloud') {
    pen.fillStyle = '#f7f3ee'
    for (const [x, r] of [
      [-0.3, 0.09],
      [-0.14, 0.13],
      [0.06, 0.15],
      [0.24, 0.11],
      [0.38, 0.07],
    ] as const)
      oval(pen, x, 0, r, r * 0.55)
  }
  if (prop === 'pack') {
    pen.fillStyle = '#3f6a4c'
    pen.fillRect(neck[0] - 0.19, neck[1], 0.13, 0.26)
  }
  if (prop === 'cape') {
    pen.fillStyle = '#d23a40'
    body(
      pen,
      [neck[0], neck[1] + 0.02, 0.05],
      [neck[0] - 0.18, (neck[1] + hip[1]) / 2, 0.13],
      [neck[0] - 0.42, hip[1] + 0.05 * flap, 0.12],
      [neck[0] - 0.55, hip[1] + 0.08 * flap, 0.02],
    )
  }
  if (prop === 'wings') {
    pen.fillStyle = '#fdfbf4'
    for (const up of [0.3, 0.08])
      body(
        pen,
        [neck[0] - 0.02, neck[1] + 0.1, 0.04],
        [neck[0] - 0.22, neck[1] - up * flap, 0.1],
        [neck[0] - 0.46, neck[1] - up - 0.1 * flap, 0.02],
      )
  }
}
