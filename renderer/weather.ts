import { fading, fillCircle, fillEllipse, fillGlow } from './paint.ts'
import { type Stage, setPlane } from './stage.ts'

/** Adds foreground particles: snow, rain, petals, leaves, fireflies or fireworks. */
export function addWeather(stage: Stage): void {
  const { weather } = stage.description
  if (weather.includes('snow')) addSnow(stage)
  if (weather.includes('rain')) addRain(stage)
  if (weather.includes('petals'))
    addPetals(stage, (variety) => `rgba(255,${Math.round(170 + variety * 50)},${Math.round(200 + variety * 40)},.85)`)
  if (weather.includes('leaves'))
    addPetals(stage, (variety) => `rgba(${Math.round(190 + variety * 50)},${Math.round(90 + variety * 80)},40,.9)`)
  if (weather.includes('fireflies')) addMotes(stage)
  if (weather.includes('fireworks')) addFireworks(stage)
}

/** Wraps a coordinate to a range of `span` around 0, so that particles leaving on one side re-enter on the other. */
const wrap = (value: number, span: number) => (((value % span) + span) % span) - span / 2

function particles(stage: Stage, name: string, count: number, nearest: number, farthest: number) {
  const random = stage.random(name)
  return Array.from({ length: count }, () => ({
    x: random.range(0, 9),
    y: random.range(0, 9),
    nearness: farthest + (nearest - farthest) * random.next() ** 1.4,
    phase: random.range(0, Math.PI * 2),
    variety: random.next(),
  }))
}

function addSnow(stage: Stage): void {
  const flakes = particles(stage, 'snow', 340, 1, 0.12)
  stage.drawables.push((context, camera, seconds) => {
    for (const { x, y, nearness, phase, variety } of flakes) {
      setPlane(stage, context, camera, nearness)
      const span = (stage.aspect * 1.5) / nearness ** 0.2 + 0.6
      const flakeX = wrap(x + 0.03 * Math.sin(seconds * 1.1 + phase) + seconds * 0.03 * nearness, span)
      const flakeY = wrap(y + seconds * (0.1 + 0.22 * nearness) * (0.8 + 0.4 * variety), 1.5)
      context.fillStyle = `rgba(255,255,255,${0.45 + 0.4 * variety - 0.25 * nearness * nearness})`
      fillCircle(context, flakeX, flakeY, 0.0016 + 0.0055 * nearness * nearness)
    }
  })
}

function addRain(stage: Stage): void {
  const drops = particles(stage, 'rain', 420, 1, 0.15)
  stage.drawables.push((context, camera, seconds) => {
    context.lineCap = 'round'
    for (const { x, y, nearness, variety } of drops) {
      setPlane(stage, context, camera, nearness)
      const dropX = wrap(x + seconds * 0.08, stage.aspect * 1.9)
      const dropY = wrap(y + seconds * (1.5 + 1.3 * nearness) * (0.9 + 0.2 * variety), 1.5)
      const length = 0.02 + 0.05 * nearness
      context.strokeStyle = `rgba(205,225,255,${0.1 + 0.22 * nearness * variety})`
      context.lineWidth = 0.0006 + 0.0011 * nearness
      context.beginPath()
      context.moveTo(dropX, dropY)
      context.lineTo(dropX - length * 0.05, dropY - length)
      context.stroke()
    }
  })
}

/** Adds petals or leaves that tumble across the frame. `colour` maps a number from 0 to 1 to a CSS colour. */
function addPetals(stage: Stage, colour: (variety: number) => string): void {
  const petals = particles(stage, 'petals', 70, 1, 0.2)
  stage.drawables.push((context, camera, seconds) => {
    for (const { x, y, nearness, phase, variety } of petals) {
      setPlane(stage, context, camera, nearness)
      const petalX = x + seconds * 0.09 * (0.5 + nearness) + 0.04 * Math.sin(seconds + phase)
      context.translate(wrap(petalX, stage.aspect * 1.9), wrap(y + seconds * 0.07 * (0.5 + nearness), 1.4))
      context.rotate(phase + seconds * (variety - 0.5) * 3)
      context.scale(1, 0.35 + 0.65 * Math.abs(Math.sin(seconds * 1.7 + phase)))
      context.fillStyle = colour(variety)
      const radius = 0.004 + 0.009 * nearness
      fillEllipse(context, 0, 0, radius, radius * 0.6)
    }
  })
}

/** Adds fireflies that glow and fade. */
function addMotes(stage: Stage): void {
  const random = stage.random('motes')
  const motes = Array.from({ length: 60 }, () => ({
    x: random.range(-0.75, 0.75) * stage.aspect,
    y: random.range(-0.25, 0.48),
    nearness: random.range(0.2, 1),
    phase: random.range(0, Math.PI * 2),
    speed: random.range(0.4, 1.2),
  }))
  stage.drawables.push((context, camera, seconds) => {
    context.globalCompositeOperation = 'screen'
    for (const { x, y, nearness, phase, speed } of motes) {
      const glow = Math.sin(seconds * 1.4 * speed + phase)
      if (glow < 0.03) continue
      setPlane(stage, context, camera, nearness)
      const moteX = x + 0.05 * Math.sin(seconds * 0.5 * speed + phase) + 0.02 * Math.sin(seconds * 1.3 + phase * 2)
      const moteY = y + 0.03 * Math.sin(seconds * 0.7 * speed + phase * 1.7) - 0.006 * seconds
      fillGlow(context, moteX, moteY, 0.012 * nearness + 0.004, fading('#e8ff8a', { 0: glow, 0.25: glow * 0.5, 1: 0 }))
    }
    context.globalCompositeOperation = 'source-over'
  })
}

const SPARKS = 28

/** Adds rockets that burst one after the other. */
function addFireworks(stage: Stage): void {
  const random = stage.random('fireworks')
  const bursts = Array.from({ length: 5 }, (_, i) => ({
    x: random.range(-0.6, 0.6),
    y: random.range(-0.36, -0.16),
    start: i * 0.55,
    size: random.range(0.12, 0.2),
    colour: random.pick(['#ff7a6a', '#ffd76a', '#7ad0ff', '#c79bff', '#8affa0']),
  }))
  stage.drawables.push((context, camera, seconds) => {
    setPlane(stage, context, camera, 0.1)
    context.globalCompositeOperation = 'screen'
    for (const { x, y, start, size, colour } of bursts) {
      const age = ((seconds - start + 9) % 2.75) / 2
      if (age > 1) continue
      const reach = size * (1 - (1 - age) ** 3)
      context.globalAlpha = (1 - age) ** 1.2
      context.fillStyle = colour
      for (let spark = 0; spark < SPARKS; spark++) {
        const angle = (spark / SPARKS) * Math.PI * 2
        const far = reach * (spark % 2 ? 1 : 0.6)
        fillCircle(context, x + Math.cos(angle) * far, y + Math.sin(angle) * far + 0.05 * age * age, 0.0035)
      }
    }
    context.globalAlpha = 1
    context.globalCompositeOperation = 'source-over'
  })
}
