import type { SKRSContext2D } from '@napi-rs/canvas'
import { fading, fillGlow, fillPolygon, mix, verticalGradient, withAlpha } from '../paint.ts'
import { addLayer, drawOnPlane, type Stage, scatter } from '../stage.ts'

const NEON = ['#ff3d8f', '#2fe0ff', '#a566ff', '#ffb13d', '#45f5a0']

type Sign = Readonly<{ x: number; y: number; w: number; h: number; colour: string; phase: number }>

/** Adds a row of shops with lit windows, awnings and signs. */
export function addShops(stage: Stage, nearness: number, base: number): void {
  const { palette, isNight, description } = stage
  const isLit = description.time !== 'day'
  const signs: Sign[] = []
  addLayer(stage, nearness, { top: base - 0.56, bottom: base + 0.01 }, (context, box) => {
    const wide = 0.34
    for (let cell = Math.floor(box.left / wide) - 1; cell * wide < box.right + wide; cell++) {
      const random = stage.random(`shop${cell}`)
      const x = cell * wide
      const height = random.range(0.34, 0.5)
      const wall = mix(
        random.pick(['#6a4a44', '#4a5068', '#5c5448', '#3f4f58', '#6a5a6a']),
        palette.near,
        isNight ? 0.55 : 0.15,
      )
      context.fillStyle = wall
      context.fillRect(x, base - height, wide - 0.004, height)
      for (let row = 0; row < 2; row++) {
        for (let column = 0; column < 3; column++) {
          context.fillStyle =
            isLit && random.chance(0.55) ? random.pick(['#ffd48a', '#ffe9bd', '#bfe0ff']) : mix(wall, '#10141f', 0.5)
          context.fillRect(x + 0.03 + column * 0.1, base - height + 0.04 + row * 0.09, 0.06, 0.06)
        }
      }
      context.fillStyle = isLit ? '#ffdf9e' : '#8fa6b8'
      context.fillRect(x + 0.03, base - 0.13, 0.18, 0.115)
      context.fillStyle = mix(wall, '#0c0a12', 0.55)
      context.fillRect(x + 0.235, base - 0.14, 0.07, 0.14)
      for (const dx of [0.085, 0.15]) context.fillRect(x + dx, base - 0.13, 0.005, 0.115)
      const awning = random.pick(['#b5433c', '#3f7a6a', '#c08a3c', '#4a5f9a'])
      for (let stripe = 0; stripe < 6; stripe++) {
        context.fillStyle = mix(stripe % 2 ? '#f2ead8' : awning, palette.near, isNight ? 0.4 : 0.08)
        fillPolygon(
          context,
          [x + 0.02 + stripe * 0.034, base - 0.175],
          [x + 0.054 + stripe * 0.034, base - 0.175],
          [x + 0.05 + stripe * 0.036, base - 0.13],
          [x + 0.014 + stripe * 0.036, base - 0.13],
        )
      }
      const colour = random.pick(NEON)
      if (random.chance(0.5))
        signs.push({ x: x + 0.26, y: base - height + 0.04, w: 0.045, h: 0.17, colour, phase: random.range(0, 6) })
      else signs.push({ x: x + 0.05, y: base - 0.235, w: 0.16, h: 0.045, colour, phase: random.range(0, 6) })
    }
  })
  drawOnPlane(stage, nearness, (context, seconds) => {
    for (const sign of signs) drawSign(context, sign, isLit, seconds)
    if (!isLit) return
    context.globalCompositeOperation = 'screen'
    for (const { x, y, w, h, colour } of signs)
      fillGlow(context, x + w / 2, y + h / 2, 0.13, fading(colour, { 0: 0.45, 0.5: 0.12, 1: 0 }))
    context.globalCompositeOperation = 'source-over'
  })
}

function drawSign(context: SKRSContext2D, { x, y, w, h, colour, phase }: Sign, isLit: boolean, seconds: number): void {
  const on = isLit ? (Math.sin(seconds * 5 + phase) + Math.sin(seconds * 1.3 + phase) < -1.75 ? 0.4 : 1) : 0.75
  context.fillStyle = isLit ? '#150f22' : mix(colour, '#2a2030', 0.6)
  context.fillRect(x, y, w, h)
  context.strokeStyle = withAlpha(colour, on)
  context.lineWidth = 0.005
  context.strokeRect(x + 0.004, y + 0.004, w - 0.008, h - 0.008)
  context.fillStyle = withAlpha(isLit ? mix(colour, '#ffffff', 0.5) : '#f4efe6', on)
  const isTall = h > w
  for (let i = 0; i < 3; i++) {
    const [bx, by] = isTall ? [x + w * 0.25, y + 0.02 + i * 0.047] : [x + 0.022 + i * 0.042, y + h * 0.28]
    for (const [dx, dy, bw, bh] of [
      [0, 0, 0.022, 0.004],
      [0.009, 0, 0.004, 0.024],
      [0, 0.011, 0.022, 0.004],
      [(i % 2) * 0.016, 0.011, 0.004, 0.014],
    ] as const)
      context.fillRect(bx + dx, by + dy, bw, bh)
  }
}

/** Adds streaks of light on a wet street. */
export function addWetLight(stage: Stage, top: number): void {
  addLayer(stage, 0.5, { top, bottom: 0.56, detail: 0.4 }, (context, box) => {
    context.globalCompositeOperation = 'screen'
    scatter(stage, 'wet', { ...box, spacing: 0.09 }, (x, random) => {
      const tone = random.chance(0.6) ? random.pick(NEON) : '#ffdf9e'
      const wide = random.range(0.012, 0.035)
      context.fillStyle = verticalGradient(context, top, top + 0.26, fading(tone, { 0: 0.5, 0.5: 0.18, 1: 0 }))
      context.fillRect(x, top, wide, 0.3)
    })
    context.globalCompositeOperation = 'source-over'
  })
}

/** Adds white houses with tiled roofs. */
export function addTiledHouses(stage: Stage, nearness: number, base: number, wall: string): void {
  const { palette, isNight, description } = stage
  const isLit = description.time !== 'day'
  addLayer(stage, nearness, { top: base - 0.4, bottom: base + 0.02 }, (context, box) => {
    scatter(stage, `houses${nearness}`, { ...box, spacing: 0.24 }, (x, random) => {
      const [wide, high] = [random.range(0.2, 0.3), random.range(0.14, 0.24)]
      const tone = mix(wall, palette.ridge[2], isNight ? 0.6 : 0.12)
      context.fillStyle = verticalGradient(context, base - high, base, { 0: tone, 1: mix(tone, palette.near, 0.3) })
      context.fillRect(x - wide / 2, base - high, wide, high)
      context.fillStyle = mix('#343a46', palette.near, isNight ? 0.5 : 0.1)
      const eaves = base - high
      context.beginPath()
      context.moveTo(x - wide / 2 - 0.03, eaves + 0.004)
      context.quadraticCurveTo(x - wide / 2 + 0.01, eaves - 0.01, x - wide * 0.34, eaves - 0.075)
      context.lineTo(x + wide * 0.34, eaves - 0.075)
      context.quadraticCurveTo(x + wide / 2 - 0.01, eaves - 0.01, x + wide / 2 + 0.03, eaves + 0.004)
      context.fill()
      for (const dx of [-0.28, 0.06]) {
        context.fillStyle = isLit ? '#ffcf85' : mix('#5a4438', palette.near, 0.2)
        context.fillRect(x + wide * dx, eaves + high * 0.3, wide * 0.2, high * 0.32)
        context.fillStyle = mix('#3a2a24', palette.near, 0.2)
        context.fillRect(x + wide * dx + wide * 0.095, eaves + high * 0.3, wide * 0.014, high * 0.32)
      }
    })
  })
}
