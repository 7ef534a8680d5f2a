import { addNebula, addPlanet, addRocks, addStarField } from '../nature/cosmos.ts'
import { addRidge } from '../nature/ridge.ts'
import { addFog, addSky } from '../nature/sky.ts'
import { addSwell, addWavelets } from '../nature/swell.ts'
import { addWater } from '../nature/water.ts'
import { fading, fillCircle, fillEllipse, fillGlow, fillPolygon, mix, verticalGradient, withAlpha } from '../paint.ts'
import { addLayer, drawOnPlane, type Stage, scatter, visibleBox } from '../stage.ts'
import { addGround, type Place } from './place.ts'

function addSea(stage: Stage): void {
  const { palette, viewport } = stage
  const sea = viewport.horizon
  addSky(stage)
  addRidge(stage, {
    ...{ nearness: 0.06, base: sea, height: 0.07, frequency: 1.1, variant: 4, bottom: sea + 0.05 },
    ...{ colour: palette.ridge[0], haze: 0.7, relief: 0.5 },
  })
}

export const ocean: Place = {
  horizon: 0.07,
  compose(stage, enter) {
    const sea = stage.viewport.horizon
    addSea(stage)
    enter('backdrop', 0.28, sea + 0.06)
    addWater(stage, { ...stage.palette.water, ripple: 0.008, depth: 0.62 })
    addWavelets(stage)
    enter('air', 0.5, -0.12)
    enter('surface', 0.55, sea + 0.17, 'none')
    enter('ground', 0.55, sea + 0.17, 'none')
    addSwell(stage, 0.6, 0.25, 0.5)
    addSwell(stage, 1, 0.42, 0.5)
  },
}

export const beach: Place = {
  horizon: 0.06,
  compose(stage, enter) {
    const { palette, viewport, isNight } = stage
    const sea = viewport.horizon
    const sand = mix('#e6c491', palette.ridge[2], isNight ? 0.6 : 0.12)
    addSea(stage)
    addWater(stage, { ...palette.water, ripple: 0.007, depth: 0.5 })
    enter('air', 0.5, -0.12)
    enter('surface', 0.45, sea + 0.1, 'none')
    drawOnPlane(stage, 0.5, (context, seconds) => {
      const box = visibleBox(stage, 0.5)
      for (const [row, reach] of [
        [0, 0.02],
        [1, 0.035],
      ] as const) {
        const level = sea + 0.145 + row * 0.03 + reach * Math.sin(seconds * 0.8 + row * 2)
        context.fillStyle = withAlpha('#ffffff', 0.32 - row * 0.06)
        context.beginPath()
        context.moveTo(box.left, level + 0.08)
        for (let x = box.left; x <= box.right; x += 0.04)
          context.lineTo(x, level + 0.008 * Math.sin(x * 9 + row * 3 + seconds * 0.6))
        context.lineTo(box.right, level + 0.08)
        context.fill()
      }
    })
    addGround(stage, 0.6, { base: sea + 0.2, colour: sand, low: mix(sand, '#8a5a34', 0.35), roll: 0.012 })
    enter('backdrop', 0.6, sea + 0.24, 'shadow')
    enter('ground', 0.7, sea + 0.31, 'shadow')
  },
}

export const underwater: Place = {
  horizon: -0.1,
  compose(stage, enter) {
    const deep = '#06283f'
    addLayer(stage, 0.02, { detail: 0.4 }, (context, box) => {
      context.fillStyle = verticalGradient(context, -0.6, 0.6, {
        0: '#5cc6d8',
        0.35: '#2389ac',
        0.75: '#11567d',
        1: deep,
      })
      context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
    })
    const random = stage.random('sea')
    const rays = Array.from({ length: 7 }, () => ({
      x: random.range(-0.9, 0.9),
      width: random.range(0.04, 0.11),
      phase: random.range(0, 6),
    }))
    drawOnPlane(stage, 0.08, (context, seconds) => {
      for (const { x, width, phase } of rays) {
        const sway = 0.05 * Math.sin(seconds * 0.5 + phase)
        context.fillStyle = verticalGradient(
          context,
          -0.7,
          0.4,
          fading('#d8fbff', { 0: 0.2 + 0.06 * Math.sin(seconds + phase), 1: 0 }),
        )
        fillPolygon(
          context,
          [x - width * 0.5, -0.8],
          [x + width * 0.5, -0.8],
          [x + width + sway - 0.25, 0.45],
          [x - width + sway - 0.25, 0.45],
        )
      }
    })
    addGround(stage, 0.3, { base: 0.3, colour: '#1a5f7c', low: deep, roll: 0.04 })
    addCoral(stage, 0.4, 0.36, 0.35)
    enter('backdrop', 0.5, 0.38)
    enter('air', 0.6, 0.02)
    enter('surface', 0.6, 0.02)
    enter('table', 0.65, 0.38, 'shadow')
    enter('ground', 0.65, 0.4, 'shadow')
    addGround(stage, 0.9, { base: 0.42, colour: '#154a63', low: '#041c2e', roll: 0.03 })
    addCoral(stage, 0.95, 0.5, 0)
    const bubbles = Array.from({ length: 34 }, () => ({
      x: random.range(-1, 1),
      y: random.range(0, 1.3),
      r: random.range(0.002, 0.007),
      speed: random.range(0.06, 0.14),
    }))
    drawOnPlane(stage, 0.7, (context, seconds) => {
      context.fillStyle = 'rgba(220,245,255,.4)'
      for (const { x, y, r, speed } of bubbles)
        fillCircle(context, x + 0.01 * Math.sin(seconds * 2 + y * 20), 0.6 - ((y + seconds * speed) % 1.3), r)
    })
  },
}

/** Adds corals and weeds that sway. `haze` fades them towards the water, from 0 to 1. */
function addCoral(stage: Stage, nearness: number, base: number, haze: number): void {
  const tones = ['#e0647a', '#f2a45a', '#b05ac0', '#3fae8a', '#e8c84f'].map((tone) =>
    mix(mix(tone, '#0d4a68', 0.35), '#1d7296', haze),
  )
  addLayer(stage, nearness, { sway: 0.03, top: base - 0.3 * nearness - 0.05 }, (context, box) => {
    scatter(stage, `coral${nearness}`, { ...box, spacing: 0.09 / nearness ** 0.3 }, (x, random) => {
      const [height, tone] = [random.range(0.06, 0.2) * (0.4 + nearness * 0.7), random.pick(tones)]
      context.strokeStyle = tone
      context.fillStyle = tone
      context.lineCap = 'round'
      const isFan = random.chance(0.45)
      for (let i = 0; i < (isFan ? 7 : 3); i++) {
        const angle = -Math.PI / 2 + (i - (isFan ? 3 : 1)) * (isFan ? 0.24 : 0.16)
        context.lineWidth = 0.012 * (isFan ? 0.7 : 0.5) * (0.5 + nearness)
        context.beginPath()
        context.moveTo(x, base + 0.03)
        context.quadraticCurveTo(x, base - height * 0.5, x + Math.cos(angle) * height, base + Math.sin(angle) * height)
        context.stroke()
        if (isFan)
          fillCircle(context, x + Math.cos(angle) * height, base + Math.sin(angle) * height, 0.008 * (0.5 + nearness))
      }
    })
  })
}

export const sky: Place = {
  horizon: 0.5,
  compose(stage, enter) {
    addSky(stage)
    addFog(stage, 0.2, { y: 0.3, height: 0.12, density: 0.8, drift: 0.03 })
    addCloudBank(stage, 0.35, 0.34)
    enter('backdrop', 0.4, 0.4)
    enter('air', 0.6, 0)
    enter('surface', 0.6, 0.3)
    enter('table', 0.6, 0.2)
    enter('ground', 0.6, 0.25)
    addCloudBank(stage, 0.85, 0.46)
  },
}

/** Adds a rolling bank of clouds, seen from above. */
function addCloudBank(stage: Stage, nearness: number, base: number): void {
  const { palette, isNight } = stage
  const white = mix(palette.haze, '#ffffff', isNight ? 0.1 : 0.5)
  addLayer(stage, nearness, { drift: 0.02, top: base - 0.16, detail: 0.6 }, (context, box) => {
    scatter(stage, `bank${nearness}`, { ...box, spacing: 0.035 }, (x, random) => {
      const radius = random.range(0.05, 0.13)
      const y = base + random.range(0, 0.1)
      fillGlow(
        context,
        x,
        y,
        radius,
        fading(mix(white, palette.sky[2], random.range(0, 0.35)), { 0: 0.9, 0.6: 0.5, 1: 0 }),
      )
    })
    context.fillStyle = verticalGradient(context, base, base + 0.2, fading(white, { 0: 0, 1: 0.9 }))
    context.fillRect(box.left, base, box.right - box.left, box.bottom - base)
  })
}

export const space: Place = {
  horizon: 0,
  compose(stage, enter) {
    addNebula(stage)
    addStarField(stage, { nearness: 0.02, spacing: 0.0045, radius: 0.0019 })
    if (!enter('backdrop', 0.3, 0.3)) addPlanet(stage)
    addStarField(stage, { nearness: 0.35, spacing: 0.03, radius: 0.0034 })
    addRocks(stage)
    enter('surface', 0.7, 0.1)
    enter('table', 0.7, 0.1)
    enter('ground', 0.7, 0.16)
    enter('air', 0.7, 0.02)
  },
}

export const moon: Place = {
  horizon: 0.12,
  compose(stage, enter) {
    const base = stage.viewport.horizon
    const dust = (colour: string) => (stage.description.isMars ? mix(colour, '#b5542c', 0.6) : colour)
    addLayer(stage, 0.01, { detail: 0.3 }, (context, box) => {
      context.fillStyle = verticalGradient(context, -0.6, 0.3, { 0: dust('#05070f'), 1: dust('#131a2e') })
      context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
    })
    addStarField(stage, { nearness: 0.02, spacing: 0.006, radius: 0.0018 })
    enter('backdrop', 0.2, 0)
    addRidge(stage, {
      nearness: 0.1,
      base,
      height: 0.12,
      frequency: 1.3,
      variant: 6,
      colour: dust('#5c6274'),
      haze: 0.2,
      hazeColour: '#3a4052',
      relief: 1,
      bottom: base + 0.06,
    })
    enter('air', 0.5, -0.12)
    addGround(stage, 0.4, { base: base + 0.02, colour: dust('#8a8f9e'), low: dust('#4a5064'), roll: 0.012, grain: 0.1 })
    addCraters(stage, 0.5, base + 0.1, 0.26)
    enter('surface', 0.7, base + 0.26, 'shadow')
    enter('table', 0.7, base + 0.26, 'shadow')
    enter('ground', 0.7, base + 0.27, 'shadow')
    addGround(stage, 0.95, { base: base + 0.33, colour: dust('#6a7082'), low: dust('#2a2f40'), roll: 0.02, grain: 0.1 })
  },
}

function addCraters(stage: Stage, nearness: number, base: number, depth: number): void {
  addLayer(stage, nearness, { top: base - 0.02, bottom: base + depth }, (context, box) => {
    scatter(stage, 'craters', { ...box, spacing: 0.14 }, (x, random) => {
      const y = base + random.range(0, depth * 0.7)
      const radius = random.range(0.015, 0.06) * (0.5 + (y - base) * 3)
      context.fillStyle = 'rgba(30,34,48,.5)'
      fillEllipse(context, x, y, radius, radius * 0.26)
      context.fillStyle = 'rgba(200,206,220,.4)'
      fillEllipse(context, x, y + radius * 0.1, radius * 0.9, radius * 0.17)
    })
  })
}
