import { mix } from '../colour.ts'
import { addLayer } from '../layer.ts'
import { noise } from '../random.ts'
import { fillCircle, traceGround, verticalGradient } from '../shapes.ts'
import { type Stage, scatter } from '../stage.ts'

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
function groundLevel(base: number, nearness: number, x: number): number {
  return base + 0.025 * Math.sin(x * 2.1 + nearness * 9) + 0.012 * Math.sin(x * 5.3 + nearness * 4)
}

/** Adds a strip of ground with swaying grass. */
export function addGrass(stage: Stage, nearness: number, { base, length, colour, density }: Grass): void {
  const { palette, noiseSeed } = stage
  addLayer(stage, nearness, { sway: 0.05, top: base - 0.05 - length * 1.3 }, (context, box) => {
    context.fillStyle = verticalGradient(context, base - 0.03, base + 0.25, [
      [0, mix(colour, palette.light, 0.1)],
      [1, mix(colour, palette.near, 0.45)],
    ])
    traceGround(context, box, { step: 0.02, margin: 0.02 }, (x) => groundLevel(base, nearness, x))
    context.fill()
    // Blades also grow further down the slope, which gives the ground depth.
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

/** Adds clusters of flowers, dimmed by the light. `density` is the maximum per unit. */
export function addFlowers(
  stage: Stage,
  nearness: number,
  { base, density, colours }: Readonly<{ base: number; density: number; colours: readonly string[] }>,
): void {
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
