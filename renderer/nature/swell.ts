import { fillEllipse, mix, verticalGradient, withAlpha } from '../paint.ts'
import { drawOnPlane, type Stage, scatter, setPlane, visibleBox } from '../stage.ts'

/** Adds short lit wave crests, each on a plane at its own depth, which gives the sea parallax. */
export function addWavelets(stage: Stage): void {
  const { palette } = stage
  const wavelets: { x: number; y: number; nearness: number; phase: number; length: number }[] = []
  for (let row = 0; row < 26; row++) {
    const nearness = 0.1 + 0.6 * (row / 26) ** 1.5
    const shown = visibleBox(stage, nearness)
    scatter(stage, `wavelets${row}`, { ...shown, spacing: 0.05 + 0.12 * nearness }, (x, random) => {
      const y = stage.viewport.horizon + 0.44 * nearness + random.range(-0.01, 0.01) * nearness
      const length = random.range(0.012, 0.05) * (0.35 + nearness)
      wavelets.push({ x, y, nearness, phase: random.range(0, 6.3), length })
    })
  }
  const colours = [0.12, 0.2, 0.3].map((alpha) =>
    withAlpha(mix(palette.water.tint, palette.light, 0.55), stage.isNight ? alpha * 0.7 : alpha),
  )
  stage.drawables.push((context, camera, seconds) => {
    for (const { x, y, nearness, phase, length } of wavelets) {
      const rise = Math.sin(seconds * 1.3 + phase)
      if (rise < 0) continue
      setPlane(stage, context, camera, nearness)
      context.fillStyle = colours[Math.min(2, Math.floor(rise * 3))]!
      const thickness = 0.0012 + 0.0028 * nearness * rise
      const [waveX, waveY] = [x + 0.01 * Math.sin(seconds * 0.6 + phase), y - 0.004 * rise * nearness]
      fillEllipse(context, waveX, waveY, length * (0.6 + 0.4 * rise), thickness)
    }
  })
}

/** Adds one long wave across the frame, with a lit crest. */
export function addSwell(stage: Stage, nearness: number, level: number, opacity: number): void {
  const { palette, isNight } = stage
  const box = visibleBox(stage, nearness)
  const crest = mix(palette.water.tint, palette.light, 0.2)
  const middle = mix(palette.water.tint, palette.water.deep, 0.7)
  const surface = (x: number, seconds: number) =>
    level +
    0.016 * nearness * Math.sin((x * 3.1) / nearness + seconds * 1.3) +
    0.007 * nearness * Math.sin((x * 6.6) / nearness - seconds * 1.1 + 2)
  drawOnPlane(stage, nearness, (context, seconds) => {
    context.fillStyle = verticalGradient(context, level - 0.03 * nearness, level + 0.22, {
      0: withAlpha(crest, opacity * 0.9),
      0.25: withAlpha(middle, opacity),
      1: withAlpha(palette.water.deep, opacity * 1.3),
    })
    context.beginPath()
    context.moveTo(box.left, box.bottom + 0.1)
    for (let x = box.left; x <= box.right + 0.02; x += 0.02) context.lineTo(x, surface(x, seconds))
    context.lineTo(box.right + 0.02, box.bottom + 0.1)
    context.fill()
    // Highlight the crest where the wave faces the light.
    context.lineWidth = 0.0022 * nearness + 0.0005
    for (let x = box.left; x < box.right; x += 0.03) {
      const facing = Math.sin((x * 3.1) / nearness + seconds * 1.3 + 0.9) * Math.sin(x * 7.7 + seconds * 0.4)
      if (facing < 0.08) continue
      context.strokeStyle = withAlpha(mix('#ffffff', palette.light, 0.4), facing * (isNight ? 0.25 : 0.5))
      context.beginPath()
      context.moveTo(x, surface(x, seconds) + 0.002)
      context.lineTo(x + 0.0305, surface(x + 0.0305, seconds) + 0.002)
      context.stroke()
    }
  })
}
