import { fillCircle } from '../shapes.ts'
import { type Stage, shownBox, stand } from '../stage.ts'

const NEARNESS = 0.015

/** Twinkling stars down to a world y. `count` is for a frame of one unit's height and two units' width. */
export function addStars(stage: Stage, count: number, lowest: number): void {
  const box = shownBox(stage, NEARNESS)
  const random = stage.random('stars')
  // Spread over more than any movement shows, so that the same stars appear under each.
  const stars = Array.from({ length: Math.round(count * 1.5) }, () => ({
    x: random.range(-1.5, 1.5),
    y: random.range(-0.95, lowest),
    radius: random.next() ** 2 * 0.0022 + 0.0006,
    phase: random.range(0, Math.PI * 2),
    speed: random.range(0.8, 3),
    brightness: random.next(),
  })).filter(({ x, y }) => x > box.left && x < box.right && Math.hypot(x - stage.sun.x, y - stage.sun.y) > 0.06)
  stage.drawables.push((context, camera, seconds) => {
    stand(stage, context, camera, NEARNESS)
    for (const { x, y, radius, phase, speed, brightness } of stars) {
      context.globalAlpha = (0.35 + 0.65 * brightness) * (0.65 + 0.35 * Math.sin(seconds * speed + phase))
      context.fillStyle = brightness > 0.85 ? '#ffe2c0' : brightness > 0.7 ? '#bcd4ff' : '#ffffff'
      fillCircle(context, x, y, radius)
    }
    context.globalAlpha = 1
  })
}
