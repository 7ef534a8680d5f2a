import { fading, fillCircle, fillEllipse, fillGlow } from './paint.ts'
import { type Stage, setPlane } from './stage.ts'

/** Adds foreground particles: snow, rain, petals, fireflies or dust. */
export function addWeather(stage: Stage): void {
  const { weather, biome, time } = stage.description
  if (weather.includes('snow')) addSnow(stage)
  if (weather.includes('rain')) addRain(stage)
  if (weather.includes('petals')) addPetals(stage)
  const glowing = weather.includes('fireflies')
  if (glowing || biome === 'forest' || (biome === 'field' && time !== 'day')) {
    addMotes(stage, glowing || stage.isNight)
  }
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

function addPetals(stage: Stage): void {
  const petals = particles(stage, 'petals', 70, 1, 0.2)
  stage.drawables.push((context, camera, seconds) => {
    for (const { x, y, nearness, phase, variety } of petals) {
      setPlane(stage, context, camera, nearness)
      const petalX = x + seconds * 0.09 * (0.5 + nearness) + 0.04 * Math.sin(seconds + phase)
      context.translate(wrap(petalX, stage.aspect * 1.9), wrap(y + seconds * 0.07 * (0.5 + nearness), 1.4))
      context.rotate(phase + seconds * (variety - 0.5) * 3)
      context.scale(1, 0.35 + 0.65 * Math.abs(Math.sin(seconds * 1.7 + phase)))
      context.fillStyle = `rgba(255,${Math.round(170 + variety * 50)},${Math.round(200 + variety * 40)},.85)`
      const radius = 0.004 + 0.009 * nearness
      fillEllipse(context, 0, 0, radius, radius * 0.6)
    }
  })
}

/** Adds fireflies that glow and fade, or floating dust. */
function addMotes(stage: Stage, fireflies: boolean): void {
  const random = stage.random('motes')
  const motes = Array.from({ length: fireflies ? 60 : 46 }, () => ({
    x: random.range(-0.75, 0.75) * stage.aspect,
    y: random.range(-0.25, 0.48),
    nearness: random.range(0.2, 1),
    phase: random.range(0, Math.PI * 2),
    speed: random.range(0.4, 1.2),
  }))
  const colour = fireflies ? '#e8ff8a' : '#fff0c8'
  stage.drawables.push((context, camera, seconds) => {
    context.globalCompositeOperation = 'screen'
    for (const { x, y, nearness, phase, speed } of motes) {
      const glow = fireflies ? Math.sin(seconds * 1.4 * speed + phase) : 0.3 + 0.2 * Math.sin(seconds * speed + phase)
      if (glow < 0.03) continue
      setPlane(stage, context, camera, nearness)
      const moteX = x + 0.05 * Math.sin(seconds * 0.5 * speed + phase) + 0.02 * Math.sin(seconds * 1.3 + phase * 2)
      const moteY = y + 0.03 * Math.sin(seconds * 0.7 * speed + phase * 1.7) - 0.006 * seconds
      const radius = fireflies ? 0.012 * nearness + 0.004 : 0.003 + 0.004 * nearness
      fillGlow(context, moteX, moteY, radius, fading(colour, { 0: glow, 0.25: glow * 0.5, 1: 0 }))
    }
    context.globalCompositeOperation = 'source-over'
  })
}
