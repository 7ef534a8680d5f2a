import type { SKRSContext2D } from '@napi-rs/canvas'
import { fillCircle, fillEllipse, horizontalGradient, mix, traceGround, verticalGradient, withAlpha } from '../paint.ts'
import { noise, type Random } from '../random.ts'
import { addLayer, type Stage, scatter } from '../stage.ts'

export type Grass = Readonly<{
  /** World y of the ground. */
  base: number
  /** Length of a blade, in units. */
  length: number
  colour: string
  /** Blades per unit. */
  density: number
}>

/** Returns the world y of the gently rolling ground at a world x. */
const groundLevel = (base: number, nearness: number, x: number) =>
  base + 0.025 * Math.sin(x * 2.1 + nearness * 9) + 0.012 * Math.sin(x * 5.3 + nearness * 4)

/** Adds a strip of ground with swaying grass. */
export function addGrass(stage: Stage, nearness: number, { base, length, colour, density }: Grass): void {
  const { palette, noiseSeed } = stage
  addLayer(stage, nearness, { sway: 0.05, top: base - 0.05 - length * 1.3 }, (context, box) => {
    context.fillStyle = verticalGradient(context, base - 0.03, base + 0.25, {
      0: mix(colour, palette.light, 0.1),
      1: mix(colour, palette.near, 0.45),
    })
    traceGround(context, box, { step: 0.02, margin: 0.02 }, (x) => groundLevel(base, nearness, x))
    context.fill()
    // Place blades further down the slope as well, to give the ground depth.
    scatter(stage, `grass${nearness}`, { ...box, spacing: 0.4 / density }, (x, random) => {
      const down = random.next() ** 2 * length * 2.4
      const y = groundLevel(base, nearness, x) + 0.006 + down
      const height = length * random.range(0.4, 1.2)
      const lean = random.range(-0.4, 0.4) * height
      const patch = noise(x * 5, down * 30, noiseSeed) * 0.16
      context.fillStyle = mix(colour, palette.light, random.next() * 0.16 * (1 - nearness * 0.5) + patch)
      const half = 0.0009 + length * 0.012
      context.beginPath()
      context.moveTo(x - half, y)
      context.quadraticCurveTo(x + lean * 0.3, y - height * 0.6, x + lean, y - height)
      context.quadraticCurveTo(x + lean * 0.3 + half, y - height * 0.5, x + half, y)
      context.fill()
    })
  })
}

type Flowers = Readonly<{ base: number; density: number; colours: readonly string[] }>

/** Adds clusters of flowers, which are darker at night. `density` is the maximum number per unit. */
export function addFlowers(stage: Stage, nearness: number, { base, density, colours }: Flowers): void {
  const { palette, isNight, noiseSeed } = stage
  const dim = isNight ? 0.6 : 0.12
  const shadow = mix(palette.near, palette.ridge[2], 0.6)
  addLayer(stage, nearness, { sway: 0.04, top: base - 0.1 }, (context, box) => {
    scatter(stage, `flowers${nearness}`, { ...box, spacing: 1 / density }, (x, random) => {
      const y = base + random.range(-0.05, 0.08)
      if (noise(x * 3.1 + nearness * 20, y * 12, noiseSeed) < 0.36) return
      const radius = random.range(0.005, 0.0105) * nearness
      const turn = random.range(0, 6)
      context.fillStyle = mix(random.pick(colours), shadow, dim + random.range(0, 0.15))
      context.beginPath()
      for (let petal = 0; petal < 5; petal++) {
        const angle = turn + (petal / 5) * Math.PI * 2
        const [petalX, petalY] = [x + Math.cos(angle) * radius * 0.8, y + Math.sin(angle) * radius * 0.55]
        context.moveTo(petalX + radius * 0.55, petalY)
        context.ellipse(petalX, petalY, radius * 0.55, radius * 0.42, 0, 0, Math.PI * 2)
      }
      context.fill()
      context.fillStyle = mix('#ffd45a', shadow, dim)
      fillCircle(context, x, y, radius * 0.38)
    })
  })
}

type Pine = Readonly<{ x: number; y: number; height: number; colour: string }>

/** Paints a conifer with its base at (x, y). */
export function paintPine(context: SKRSContext2D, random: Random, { x, y, height, colour }: Pine): void {
  const tiers = 7
  const sides = [1, -1].map((side) => {
    const points: [number, number][] = []
    for (let tier = 1; tier <= tiers; tier++) {
      const tierY = y - height + (height * 0.92 * tier) / tiers
      const width = height * 0.2 * (tier / tiers) * random.range(0.8, 1.15)
      points.push([x + side * width, tierY + height * 0.012], [x + side * width * 0.42, tierY - height * 0.025])
    }
    return points
  })
  const trunk = height * 0.02
  context.fillStyle = colour
  context.beginPath()
  context.moveTo(x, y - height)
  for (const [pointX, pointY] of sides[0]!) context.lineTo(pointX, pointY)
  context.lineTo(x + trunk, y - height * 0.06)
  context.lineTo(x + trunk, y)
  context.lineTo(x - trunk, y)
  context.lineTo(x - trunk, y - height * 0.06)
  for (const [pointX, pointY] of sides[1]!.reverse()) context.lineTo(pointX, pointY)
  context.closePath()
  context.fill()
}

/** Adds pines that frame the scene: tall at the sides, none in the centre. */
export function addPineFrame(stage: Stage, nearness: number, pines: Omit<Pine, 'x' | 'y'> & { base: number }): void {
  const clearing = 0.42 * stage.aspect
  addLayer(stage, nearness, { sway: 0.006 }, (context, box) => {
    scatter(stage, `pines${nearness}`, { ...box, spacing: pines.height * 0.13 }, (x, random) => {
      const outside = Math.min(1, Math.max(0, (Math.abs(x) - clearing * 0.4) / (clearing * 0.6)))
      if (outside <= 0.04) return
      const height = pines.height * random.range(0.5, 1.1) * (0.3 + 0.7 * outside) + 0.1
      paintPine(context, random, { x, y: pines.base + 0.1, height, colour: pines.colour })
    })
  })
}

export type Trunks = Readonly<{
  nearness: number
  colour: string
  /** Trunks per unit. */
  density: number
  /** Half the width of the central clearing, in units. */
  clearing?: number
  /** World y of the lower edge of the foliage. */
  foliage: number
}>

/** Adds a row of tall trunks with foliage that hangs into the frame from above. */
export function addTrunks(stage: Stage, trunks: Trunks): void {
  const { nearness, colour, clearing = 0 } = trunks
  addLayer(stage, nearness, { sway: 0.004 }, (context, box) => {
    scatter(stage, `trunks${nearness}`, { ...box, spacing: 1 / trunks.density }, (place, random) => {
      const x = Math.abs(place) < clearing ? place + Math.sign(place || 1) * clearing : place
      const width = (0.012 + 0.05 * nearness) * random.range(0.5, 1.15)
      paintTrunk(stage, context, random, { x, width, colour, ...box })
    })
    const leaf = mix(colour, '#3c7a45', stage.isNight ? 0.12 : 0.4)
    scatter(stage, `leaves${nearness}`, { ...box, spacing: 0.0003 / (0.4 + nearness) }, (x, random) => {
      const y = -0.85 + random.next() * (trunks.foliage + 0.85)
      const hanging = (y + 0.85) / (trunks.foliage + 0.85)
      // Leaves form clumps, which thin out towards the lower edge.
      const clump = noise(x * 6 + nearness * 50, y * 7, stage.noiseSeed) * 0.7 + noise(x * 19, y * 19, 5) * 0.3
      if (clump < 0.06 + 0.55 * hanging) return
      context.fillStyle = withAlpha(mix(leaf, stage.palette.light, random.next() ** 2 * 0.4), 0.85)
      const radius = random.range(0.0035, 0.008) * (0.5 + nearness)
      fillEllipse(context, x, y, radius * 1.6, radius * 0.8, random.range(0, 3))
    })
  })
}

type Trunk = Readonly<{ x: number; width: number; colour: string; top: number; bottom: number }>

function paintTrunk(stage: Stage, context: SKRSContext2D, random: Random, trunk: Trunk): void {
  const { x, width, colour, top, bottom } = trunk
  const lean = random.range(-0.03, 0.03)
  const litSide = stage.sun.x > x ? 1 : -1
  context.fillStyle = horizontalGradient(context, x + litSide * width * 0.6, x - litSide * width * 0.6, {
    0: mix(colour, stage.palette.light, 0.3),
    0.3: colour,
    1: mix(colour, stage.palette.near, 0.45),
  })
  context.beginPath()
  context.moveTo(x - width * 0.45 + lean, top)
  context.lineTo(x + width * 0.45 + lean, top)
  context.quadraticCurveTo(x + width * 0.5, 0.1, x + width * 0.8, bottom)
  context.lineTo(x - width * 0.8, bottom)
  context.quadraticCurveTo(x - width * 0.5, 0.1, x - width * 0.45 + lean, top)
  context.fill()
  context.strokeStyle = colour
  context.lineCap = 'round'
  for (let i = 0; i < 4; i++) {
    const y = random.range(-0.6, -0.1)
    const reach = random.pick([-1, 1]) * random.range(0.05, 0.16) * (0.5 + width * 10)
    context.lineWidth = width * 0.16
    context.beginPath()
    context.moveTo(x + lean * (0.1 - y), y)
    context.quadraticCurveTo(x + reach * 0.5, y - Math.abs(reach) * 0.1, x + reach, y - Math.abs(reach) * 0.5)
    context.stroke()
  }
}
