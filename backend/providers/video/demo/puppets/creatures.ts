import { mix } from '../paint.ts'
import { createRandom } from '../random.ts'
import { body, limb, line, oval, type Pen, type Point, type Pose, type Puppet, polygon, shine, wave } from './puppet.ts'
import { FIGURES, paintShapes } from './shapes.ts'

export function jellyfish(colour = '#c97ac9'): Puppet {
  return {
    ...{ habit: 'sea', size: 0.2, box: [-0.65, -0.75, 0.65, 1.2], pace: () => 0.08 },
    paint(pen, { seconds }) {
      const beat = 0.05 * wave(seconds * 0.45)
      for (let i = 0; i < 7; i++) {
        const x = -0.27 + i * 0.09
        const strand = Array.from(
          { length: 8 },
          (_, k): Point => [x + 0.05 * wave(seconds * 0.4 - k * 0.13 + i / 6), -0.05 + k * (i % 2 ? 0.13 : 0.1)],
        )
        line(pen, mix(colour, '#ffffff', 0.35), i % 2 ? 0.022 : 0.042, ...strand)
      }
      pen.fillStyle = colour
      pen.beginPath()
      pen.moveTo(-0.4 - beat, 0)
      pen.bezierCurveTo(-0.46 - beat, -0.75 + beat, 0.46 + beat, -0.75 + beat, 0.4 + beat, 0)
      pen.quadraticCurveTo(0, -0.12, -0.4 - beat, 0)
      pen.fill()
      pen.fillStyle = mix(colour, '#ffffff', 0.55)
      oval(pen, 0.08, -0.33, 0.16, 0.1, -0.4)
    },
    glow: (pen) => shine(pen, 0, -0.15, 0.75, mix(colour, '#ffffff', 0.2), 0.5),
  }
}

export function butterfly(colour = '#4f9be1'): Puppet {
  return {
    ...{
      habit: 'air',
      size: 0.1,
      box: [-0.95, -0.9, 0.95, 0.9],
      pace: (verb) => (verb === 'fly' || verb === 'run' ? 0.6 : 0),
    },
    paint(pen, { seconds, verb }) {
      const open =
        verb === 'fly' || verb === 'run' ? 0.2 + 0.8 * Math.abs(wave(seconds * 1.3)) : 0.45 + 0.4 * wave(seconds * 0.3)
      pen.rotate(0.35)
      for (const side of [-1, 1]) {
        pen.save()
        pen.scale(side * open, 1)
        pen.fillStyle = '#231b2d'
        oval(pen, 0.38, -0.28, 0.38, 0.33, -0.6)
        oval(pen, 0.28, 0.26, 0.27, 0.3, 0.5)
        pen.fillStyle = side < 0 ? mix(colour, '#1a1430', 0.22) : colour
        oval(pen, 0.37, -0.27, 0.31, 0.26, -0.6)
        oval(pen, 0.27, 0.25, 0.2, 0.23, 0.5)
        pen.fillStyle = mix(colour, '#ffffff', 0.6)
        oval(pen, 0.46, -0.36, 0.08)
        pen.restore()
      }
      pen.fillStyle = '#231b2d'
      limb(pen, [0, -0.36], 0.045, [0, 0.36], 0.03)
      for (const dx of [-0.14, 0.14]) line(pen, '#231b2d', 0.02, [0, -0.36], [dx, -0.62])
    },
  }
}

/** Paints a dragon: a long one that winds through the clouds, or a winged one. */
export function dragon(colour: string, hasWings: boolean): Puppet {
  return {
    ...{ habit: 'air', size: 0.34, box: [-2.3, -1.25, 1.5, 1.1], pace: () => 0.3 },
    paint: (pen, pose) => paintDragon(pen, colour, hasWings, pose),
    glow(pen, { seconds, verb }) {
      if (verb === 'burn')
        for (let i = 0; i < 5; i++)
          shine(pen, 1.15 + 0.1 * i, 0.1 + 0.03 * wave(seconds * 1.5 + i / 5), 0.13 + 0.05 * i, '#ff9a3c', 0.7)
    },
  }
}

function paintDragon(pen: Pen, colour: string, hasWings: boolean, { seconds }: Pose): void {
  const [dark, pale] = [mix(colour, '#180c1c', 0.4), mix(colour, '#ffe2a0', 0.55)]
  const count = 24
  const at = (k: number): Point => [
    0.75 - (hasWings ? 1.8 : 2.6) * k,
    (hasWings ? 0.1 : 0.27) * wave(k * (hasWings ? 0.8 : 1.45) - seconds * 0.4) * (0.35 + k * 0.8),
  ]
  const girth = (k: number) =>
    hasWings
      ? 0.08 + 0.13 * Math.sin(Math.min(1, k * 1.7) * Math.PI) * (k < 0.6 ? 1 : 0) - 0.07 * k
      : 0.125 - 0.11 * k * k
  const spine = Array.from(
    { length: count + 1 },
    (_, i) => [...at(i / count), Math.max(0.012, girth(i / count))] as const,
  )
  if (hasWings) paintDragonWing(pen, mix(dark, '#100818', 0.3), at(0.3), seconds - 0.06)
  pen.fillStyle = dark
  for (const k of hasWings ? [0.22, 0.46] : [0.17, 0.24, 0.52, 0.6]) {
    const [x, y] = at(k)
    const kick = 0.05 * wave(seconds * 0.5 + k)
    limb(pen, [x, y + 0.05], 0.05, [x - 0.03 + kick, y + 0.22], 0.03)
    limb(pen, [x - 0.03 + kick, y + 0.22], 0.03, [x + 0.08 + kick, y + 0.27], 0.018)
  }
  pen.fillStyle = hasWings ? dark : pale
  for (const [x, y, half] of spine.slice(2, -2))
    polygon(pen, [x + 0.06, y - half * 0.7], [x - 0.03, y - half - 0.08], [x - 0.06, y - half * 0.7])
  pen.fillStyle = colour
  body(pen, ...spine)
  pen.fillStyle = pale
  body(pen, ...spine.slice(0, -3).map(([x, y, half]) => [x, y + half * 0.55, half * 0.38] as const))
  const [endX, endY] = at(1)
  pen.fillStyle = dark
  polygon(pen, [endX + 0.06, endY], [endX - 0.12, endY - 0.12], [endX - 0.26, endY], [endX - 0.1, endY + 0.1])
  if (hasWings) paintDragonWing(pen, dark, at(0.3), seconds)
  paintDragonHead(pen, at(0), { colour, pale, hasWings, seconds })
}

function paintDragonWing(pen: Pen, tone: string, [x, y]: Point, seconds: number): void {
  const flap = wave(seconds * 0.7)
  const tip: Point = [x - 0.3, y - 0.2 - 0.7 * (flap * 0.8 + 0.25)]
  pen.fillStyle = tone
  pen.beginPath()
  pen.moveTo(x + 0.14, y)
  pen.quadraticCurveTo(x + 0.22, y - 0.3 - 0.35 * flap, tip[0] + 0.3, tip[1] - 0.04)
  pen.lineTo(tip[0] - 0.12, tip[1])
  pen.quadraticCurveTo(tip[0] + 0.06, (tip[1] + y) / 2 - 0.1, tip[0] - 0.1, (tip[1] + y) / 2)
  pen.quadraticCurveTo(tip[0] + 0.1, y - 0.2, tip[0], y - 0.08)
  pen.quadraticCurveTo(x - 0.14, y - 0.08, x - 0.22, y + 0.02)
  pen.fill()
}

type DragonHead = Readonly<{ colour: string; pale: string; hasWings: boolean; seconds: number }>

function paintDragonHead(pen: Pen, [x, y]: Point, { colour, pale, hasWings, seconds }: DragonHead): void {
  if (!hasWings) {
    pen.fillStyle = pale
    for (let i = 0; i < 5; i++) {
      const sway = 0.04 * wave(seconds * 0.6 + i / 5)
      body(
        pen,
        [x - 0.02, y - 0.08 + i * 0.05, 0.04],
        [x - 0.18, y - 0.12 + i * 0.08 + sway, 0.035],
        [x - 0.34, y - 0.1 + i * 0.09 + sway, 0.006],
      )
    }
    for (const s of [0, 1])
      line(
        pen,
        pale,
        0.018,
        [x + 0.34, y + 0.02],
        [x + 0.46, y + 0.1 + s * 0.06],
        [x + 0.4 + s * 0.1, y + 0.28 + 0.03 * wave(seconds * 0.5 + s / 2)],
      )
  }
  pen.fillStyle = colour
  oval(pen, x + 0.04, y - 0.02, 0.12)
  limb(pen, [x + 0.08, y - 0.02], 0.1, [x + 0.34, y + 0.01], 0.06)
  limb(pen, [x + 0.06, y + 0.07], 0.06, [x + 0.26, y + 0.13 + 0.015 * wave(seconds * 0.4)], 0.03)
  for (const dx of [-0.02, 0.06])
    line(
      pen,
      hasWings ? '#e8dcc0' : pale,
      0.035,
      [x + dx, y - 0.1],
      [x + dx - 0.1, y - 0.21],
      [x + dx - 0.22, y - 0.26],
    )
  pen.fillStyle = '#ffe27a'
  oval(pen, x + 0.1, y - 0.05, 0.03)
  pen.fillStyle = '#180c1c'
  oval(pen, x + 0.108, y - 0.05, 0.013)
}

/** Paints a broad tree whose crown consists of many small clumps. */
export function tree(crown: string, size: number): Puppet {
  return {
    ...{ habit: 'backdrop', size, box: [-0.62, -1.1, 0.62, 0.08] },
    paint(pen, { seconds }) {
      pen.fillStyle = '#5c4231'
      polygon(pen, [-0.06, 0.02], [-0.03, -0.5], [0.03, -0.5], [0.07, 0.02])
      for (const [x, y] of [
        [-0.2, -0.62],
        [0.2, -0.64],
        [0.02, -0.78],
      ] as const)
        line(pen, '#5c4231', 0.03, [0, -0.4], [x, y])
      const random = createRandom(7)
      pen.transform(1, 0, 0.008 * wave(seconds * 0.25), 1, 0, 0)
      for (let i = 0; i < 90; i++) {
        const angle = random.range(0, Math.PI * 2)
        const reach = Math.sqrt(random.next())
        const [x, y] = [Math.cos(angle) * 0.46 * reach, -0.7 + Math.sin(angle) * 0.3 * reach]
        pen.fillStyle = mix(crown, y < -0.72 ? '#ffffff' : '#1c1430', random.range(0, 0.2))
        oval(pen, x, y, random.range(0.05, 0.1), random.range(0.04, 0.075))
      }
    },
  }
}

/** A giant panda on its seat that chews bamboo, as most prompts want it. */
export const sittingPanda = (): Puppet => ({
  ...{ habit: 'ground', size: 0.3, box: [-0.65, -1.12, 0.75, 0.1] },
  paint: (pen, { seconds }) => paintShapes(pen, FIGURES.panda!, {}, seconds),
})
