import { fading, fillGlow, mix, verticalGradient, withAlpha } from '../paint.ts'
import { addLayer, drawOnPlane, type Stage, visibleBox } from '../stage.ts'

/** Adds the near bank: paving, a railing and street lamps, lit except by day. `level` is the world y of the ground. */
export function addPromenade(stage: Stage, { nearness, level }: Readonly<{ nearness: number; level: number }>): void {
  const { palette, description } = stage
  const metal = mix(palette.near, '#0a0d18', 0.5)
  const isDay = description.time === 'day'
  const rail = level - 0.075
  const lampHeight = 0.44
  const lamps: number[] = []
  const shown = visibleBox(stage, nearness)
  const spacing = 0.85
  for (let cell = Math.floor(shown.left / spacing) - 1; cell * spacing < shown.right + spacing; cell++) {
    lamps.push((cell + 0.5) * spacing + 0.12)
  }
  addLayer(stage, nearness, { top: level - lampHeight - 0.06 }, (context, box) => {
    const wide = box.right - box.left
    context.fillStyle = verticalGradient(context, level, level + 0.16, {
      0: mix(metal, palette.light, isDay ? 0.35 : 0.2),
      0.12: mix(metal, palette.haze, isDay ? 0.3 : 0.06),
      1: metal,
    })
    context.fillRect(box.left, level, wide, box.bottom - level)
    context.fillStyle = metal
    for (const [y, thickness] of [
      [rail, 0.0075],
      [rail + 0.018, 0.0035],
      [level - 0.012, 0.0045],
    ] as const) {
      context.fillRect(box.left, y, wide, thickness)
    }
    for (let post = Math.floor(box.left / 0.021); post * 0.021 < box.right; post++) {
      const isPillar = post % 10 === 0
      context.fillRect(post * 0.021, rail, isPillar ? 0.008 : 0.0026, level - rail + 0.002)
    }
    for (const x of lamps) {
      context.fillRect(x - 0.004, level - lampHeight, 0.008, lampHeight)
      context.fillRect(x - 0.008, level - 0.06, 0.016, 0.06)
      context.fillRect(x - 0.02, level - lampHeight - 0.004, 0.04, 0.006)
    }
  })
  if (isDay) return
  drawOnPlane(stage, nearness, (context, seconds) => {
    context.globalCompositeOperation = 'screen'
    for (const x of lamps) {
      const y = level - lampHeight + 0.012
      const radius = 0.17 + 0.004 * Math.sin(seconds * 3 + x * 9)
      fillGlow(context, x, y, radius, {
        0: withAlpha('#fff3d6', 0.95),
        0.07: withAlpha('#ffd692', 0.6),
        0.3: withAlpha('#ffbf6b', 0.14),
        1: withAlpha('#ffbf6b', 0),
      })
    }
    context.globalCompositeOperation = 'source-over'
  })
}

const SPAN = 4.4

/** Adds a road along the waterline with the lights of cars in both directions. */
export function addTraffic(stage: Stage, nearness: number, waterline: number): void {
  const { palette, description } = stage
  const isDay = description.time === 'day'
  const road = waterline - 0.008
  addLayer(stage, nearness, { top: road - 0.012, bottom: waterline + 0.06 }, (context, box) => {
    context.fillStyle = mix(palette.near, palette.haze, isDay ? 0.3 : 0.12)
    context.fillRect(box.left, road, box.right - box.left, 0.1)
    context.fillStyle = withAlpha(palette.light, isDay ? 0.3 : 0.22)
    context.fillRect(box.left, road, box.right - box.left, 0.0012)
  })
  const random = stage.random('traffic')
  const cars = Array.from({ length: 64 }, () => ({
    start: random.range(0, SPAN),
    direction: random.pick([-1, 1]),
    speed: random.range(0.03, 0.07),
  }))
  const strength = isDay ? 0.35 : 1
  drawOnPlane(stage, nearness, (context, seconds) => {
    context.globalCompositeOperation = 'screen'
    for (const { start, direction, speed } of cars) {
      const x = ((((start + direction * seconds * speed) % SPAN) + SPAN) % SPAN) - SPAN / 2
      const y = road - 0.003 + (direction > 0 ? 0.004 : 0)
      const colour = direction > 0 ? '#ff4a3d' : '#ffe9c4'
      fillGlow(context, x, y, 0.009, fading(colour, { 0: 0.95 * strength, 0.25: 0.4 * strength, 1: 0 }))
    }
    context.globalCompositeOperation = 'source-over'
  })
}
