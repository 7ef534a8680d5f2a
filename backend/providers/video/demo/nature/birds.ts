import { withAlpha } from '../colour.ts'
import { drawOnPlane, type Stage } from '../stage.ts'

const NEARNESS = 0.12

/** Adds a flock in a loose wedge, if the description has one. */
export function addBirds(stage: Stage): void {
  if (!stage.description.birds) return
  const random = stage.random('birds')
  const start = { x: random.range(-0.4, 0.1), y: random.range(-0.28, -0.14) }
  const flock = Array.from({ length: random.integer(5, 9) }, (_, i) => ({
    x: (i % 2 ? 1 : -1) * Math.ceil(i / 2) * 0.035 + random.range(-0.01, 0.01),
    y: Math.ceil(i / 2) * 0.02 + random.range(-0.008, 0.008),
    phase: random.range(0, Math.PI * 2),
    size: random.range(0.85, 1.15),
  }))
  const colour = withAlpha(stage.isNight ? stage.palette.ridge[3] : stage.palette.near, 0.85)
  drawOnPlane(stage, NEARNESS, (context, seconds) => {
    context.strokeStyle = colour
    context.lineCap = 'round'
    context.lineWidth = 0.0026
    for (const bird of flock) {
      const x = start.x + seconds * 0.045 + bird.x
      const y = start.y + bird.y + 0.006 * Math.sin(seconds * 0.8 + bird.phase)
      const wing = Math.sin(seconds * 7 * bird.size + bird.phase) * 0.009
      const span = 0.016 * bird.size
      context.beginPath()
      context.moveTo(x - span, y - wing)
      context.quadraticCurveTo(x - span * 0.4, y - 0.004 - wing * 0.2, x, y)
      context.quadraticCurveTo(x + span * 0.4, y - 0.004 - wing * 0.2, x + span, y - wing)
      context.stroke()
    }
  })
}
