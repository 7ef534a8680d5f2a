import { mix, withAlpha } from '../colour.ts'
import { addLayer } from '../layer.ts'
import { fillGlow } from '../shapes.ts'
import { type Stage, setPlane } from '../stage.ts'

const SPAN = 4.4

/** Adds a quay along the waterline with the lights of cars in both directions. */
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
  stage.drawables.push((context, camera, seconds) => {
    setPlane(stage, context, camera, nearness)
    context.globalCompositeOperation = 'screen'
    for (const { start, direction, speed } of cars) {
      const x = ((((start + direction * seconds * speed) % SPAN) + SPAN) % SPAN) - SPAN / 2
      const y = road - 0.003 + (direction > 0 ? 0.004 : 0)
      const colour = direction > 0 ? '#ff4a3d' : '#ffe9c4'
      fillGlow(context, x, y, 0.009, [
        [0, withAlpha(colour, 0.95 * strength)],
        [0.25, withAlpha(colour, 0.4 * strength)],
        [1, withAlpha(colour, 0)],
      ])
    }
    context.globalCompositeOperation = 'source-over'
  })
}
