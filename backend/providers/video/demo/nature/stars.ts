import { fillCircle } from '../shapes.ts'
import { type Stage, setPlane, visibleBox } from '../stage.ts'

const NEARNESS = 0.015

/** Adds twinkling stars above a world y. `count` applies to a frame of 2 × 1 units. */
export function addStars(stage: Stage, count: number, lowest: number): void {
  const box = visibleBox(stage, NEARNESS)
  const random = stage.random('stars')
  // Spread over more than any movement shows, so that each movement shows the same stars.
  const stars = Array.from({ length: Math.round(count * 1.5) }, () => ({
    x: random.range(-1.5, 1.5),
    y: random.range(-0.95, lowest),
    radius: random.next() ** 2 * 0.0022 + 0.0006,
    phase: random.range(0, Math.PI * 2),
    speed: random.range(0.8, 3),
    brightness: random.next(),
  })).filter(({ x, y }) => x > box.left && x < box.right && Math.hypot(x - stage.sun.x, y - stage.sun.y) > 0.06)
  stage.drawables.push((context, camera, seconds) => {
    setPlane(stage, context, camera, NEARNESS)
    for (const { x, y, radius, phase, speed, brightness } of stars) {
      context.globalAlpha = (0.35 + 0.65 * brightness) * (0.65 + 0.35 * Math.sin(seconds * speed + phase))
      context.fillStyle = brightness > 0.85 ? '#ffe2c0' : brightness > 0.7 ? '#bcd4ff' : '#ffffff'
      fillCircle(context, x, y, radius)
    }
    context.globalAlpha = 1
  })
}
