import { addDune } from '../nature/dunes.ts'
import { addFlowers, addGrass, addPineFrame } from '../nature/plants.ts'
import { addRidge } from '../nature/ridge.ts'
import { addFog, addSky } from '../nature/sky.ts'
import { addWater } from '../nature/water.ts'
import { fading, fillEllipse, fillGlow, fillPolygon, mix, verticalGradient } from '../paint.ts'
import { addLayer, drawOnPlane, type Stage } from '../stage.ts'
import { addGround, addHills, addSnowfield, greenOf, type Place, SNOW } from './place.ts'

const FLOWERS = ['#ff9ecb', '#ffe27a', '#ffffff', '#c29bff']

export const meadow: Place = {
  horizon: 0.05,
  compose(stage, enter) {
    const { horizon } = stage.viewport
    const { isSnowy, season } = stage.description
    addSky(stage)
    addHills(stage)
    enter('air', 0.5, -0.12)
    if (isSnowy) return composeSnow(stage, enter)
    addGrass(stage, 0.24, {
      base: horizon + 0.05,
      length: 0.022,
      colour: mix(greenOf(stage, 2), stage.palette.haze, 0.14),
      density: 650,
    })
    enter('backdrop', 0.45, horizon + 0.15)
    if (season !== 'autumn') addFlowers(stage, 0.42, { base: horizon + 0.14, density: 200, colours: FLOWERS })
    addGrass(stage, 0.6, { base: horizon + 0.2, length: 0.05, colour: greenOf(stage, 3), density: 430 })
    enter('ground', 0.7, horizon + 0.32, 'shadow')
    addGrass(stage, 0.85, { base: horizon + 0.36, length: 0.06, colour: greenOf(stage, 3), density: 330 })
  },
}

function composeSnow(stage: Stage, enter: Parameters<Place['compose']>[1]): void {
  const { horizon } = stage.viewport
  addSnowfield(stage, 0.22, horizon + 0.05)
  addPineFrame(stage, 0.3, { base: horizon + 0.02, height: 0.2, colour: mix(stage.palette.ridge[3], SNOW, 0.2) })
  addSnowfield(stage, 0.42, horizon + 0.14)
  enter('backdrop', 0.45, horizon + 0.17)
  enter('surface', 0.6, horizon + 0.28, 'shadow')
  enter('ground', 0.7, horizon + 0.31, 'shadow')
  addSnowfield(stage, 0.95, horizon + 0.38)
}

export const snowfield: Place = {
  horizon: 0.05,
  compose(stage, enter) {
    addSky(stage)
    addHills(stage, 0.12)
    enter('air', 0.5, -0.12)
    composeSnow(stage, enter)
  },
}

export const garden: Place = {
  horizon: 0,
  compose(stage, enter) {
    const { horizon } = stage.viewport
    addSky(stage)
    addHills(stage, 0.1)
    addPineFrame(stage, 0.2, { base: horizon + 0.05, height: 0.2, colour: greenOf(stage, 2) })
    addGrass(stage, 0.32, { base: horizon + 0.1, length: 0.022, colour: greenOf(stage, 2), density: 600 })
    addFlowers(stage, 0.36, { base: horizon + 0.16, density: 230, colours: FLOWERS })
    enter('backdrop', 0.5, horizon + 0.22)
    enter('air', 0.6, -0.08)
    addGrass(stage, 0.6, { base: horizon + 0.28, length: 0.045, colour: greenOf(stage, 3), density: 420 })
    addFlowers(stage, 0.64, { base: horizon + 0.33, density: 170, colours: FLOWERS })
    enter('ground', 0.7, horizon + 0.4, 'shadow')
    addGrass(stage, 0.85, { base: horizon + 0.43, length: 0.045, colour: greenOf(stage, 3), density: 320 })
  },
}

export const mountain: Place = {
  horizon: 0.12,
  compose(stage, enter) {
    const { ridge, near, water } = stage.palette
    const lake = stage.viewport.horizon
    const foot = { bottom: lake + 0.06, base: lake }
    addSky(stage)
    addRidge(stage, {
      ...foot,
      nearness: 0.07,
      height: 0.34,
      frequency: 1.5,
      variant: 1,
      colour: ridge[0],
      haze: 0.8,
      relief: 0.8,
      snow: true,
    })
    addRidge(stage, {
      ...foot,
      nearness: 0.11,
      height: 0.3,
      frequency: 1.9,
      variant: 2,
      colour: ridge[1],
      haze: 0.75,
      relief: 1,
      snow: true,
    })
    addFog(stage, 0.13, { y: lake - 0.05, height: 0.05, density: 0.7 })
    addRidge(stage, {
      ...foot,
      nearness: 0.17,
      height: 0.13,
      frequency: 2.6,
      variant: 3,
      colour: ridge[2],
      haze: 0.6,
      relief: 0.6,
      trees: 0.01,
    })
    enter('backdrop', 0.3, lake + 0.02)
    enter('air', 0.5, -0.12)
    addWater(stage, water)
    enter('surface', 0.5, lake + 0.13, 'reflection')
    if (stage.description.isSnowy) addSnowfield(stage, 0.6, 0.37)
    else addGrass(stage, 0.6, { base: 0.38, length: 0.035, colour: mix(near, greenOf(stage, 3), 0.5), density: 420 })
    enter('ground', 0.7, 0.42, 'shadow')
    addPineFrame(stage, 0.9, { base: 0.54, height: 0.3, colour: mix(ridge[4], near, 0.5) })
  },
}

export const hill: Place = {
  horizon: 0.08,
  compose(stage, enter) {
    const { horizon } = stage.viewport
    const green = (row: 2 | 3 | 4) => mix(greenOf(stage, row), stage.palette.haze, row === 2 ? 0.15 : 0)
    addSky(stage)
    addHills(stage, 0.2)
    enter('backdrop', 0.4, horizon + 0.08)
    enter('air', 0.5, -0.12)
    if (stage.description.isSnowy) return composeSnow(stage, enter)
    addPineFrame(stage, 0.32, { base: horizon + 0.06, height: 0.18, colour: green(2) })
    addGround(stage, 0.42, { base: horizon + 0.12, colour: green(2), roll: 0.03 })
    addFog(stage, 0.44, { y: horizon + 0.12, height: 0.03, density: 0.5 })
    addGrass(stage, 0.62, { base: horizon + 0.22, length: 0.045, colour: green(3), density: 420 })
    enter('surface', 0.65, horizon + 0.3, 'shadow')
    enter('ground', 0.7, horizon + 0.31, 'shadow')
    addGrass(stage, 0.9, { base: horizon + 0.37, length: 0.05, colour: green(4), density: 300 })
  },
}

export const desert: Place = {
  horizon: 0.06,
  compose(stage, enter) {
    const { palette, viewport, isNight } = stage
    const { horizon } = viewport
    const sand = (shade: number) => mix('#d58a45', palette.ridge[3], isNight ? 0.72 : shade)
    addSky(stage)
    addRidge(stage, {
      ...{ nearness: 0.05, base: horizon + 0.01, height: 0.09, frequency: 1.3, variant: 5, bottom: horizon + 0.06 },
      ...{ colour: mix(palette.ridge[0], '#b0744f', isNight ? 0.1 : 0.35), haze: 0.8, relief: 0.7 },
    })
    enter('air', 0.5, -0.12)
    addDune(stage, {
      nearness: 0.15,
      base: horizon + 0.05,
      height: 0.08,
      colour: mix(sand(0.1), palette.haze, 0.2),
      variant: 1,
    })
    enter('backdrop', 0.35, horizon + 0.12, 'shadow')
    addDune(stage, { nearness: 0.45, base: horizon + 0.2, height: 0.12, colour: sand(0.16), variant: 3 })
    enter('surface', 0.65, horizon + 0.3, 'shadow')
    enter('ground', 0.7, horizon + 0.32, 'shadow')
    addDune(stage, { nearness: 0.95, base: horizon + 0.42, height: 0.05, colour: sand(0.24), variant: 4 })
  },
}

export const volcano: Place = {
  horizon: 0.12,
  compose(stage, enter) {
    const { palette, viewport } = stage
    const { horizon } = viewport
    const rock = mix(palette.ridge[2], '#3a2630', 0.55)
    addSky(stage)
    addHills(stage, 0.1)
    const random = stage.random('lava')
    const runs = Array.from({ length: 5 }, () => ({
      x: random.range(-0.05, 0.05),
      drift: random.range(-0.16, 0.16),
      width: random.range(0.006, 0.014),
    }))
    addLayer(stage, 0.14, { bottom: horizon + 0.08 }, (context) => {
      context.fillStyle = verticalGradient(context, -0.24, horizon + 0.06, {
        0: mix(rock, '#1a0f16', 0.4),
        1: mix(rock, palette.haze, 0.25),
      })
      fillPolygon(
        context,
        [-0.62, horizon + 0.08],
        [-0.1, -0.22],
        [-0.04, -0.19],
        [0.03, -0.205],
        [0.09, -0.225],
        [0.62, horizon + 0.08],
      )
    })
    drawOnPlane(stage, 0.14, (context, seconds) => {
      context.globalCompositeOperation = 'screen'
      fillGlow(context, 0, -0.24, 0.34, fading('#ff7a2c', { 0: 0.75 + 0.1 * Math.sin(seconds * 3), 0.3: 0.3, 1: 0 }))
      context.globalCompositeOperation = 'source-over'
      context.lineCap = 'round'
      for (const { x, drift, width } of runs) {
        context.strokeStyle = '#ff8a33'
        context.lineWidth = width * (1 + 0.15 * Math.sin(seconds * 2 + drift * 40))
        context.beginPath()
        context.moveTo(x, -0.2)
        context.bezierCurveTo(x + drift * 0.2, -0.1, x + drift * 1.1, 0, x + drift * 1.6, horizon + 0.04)
        context.stroke()
      }
      for (let i = 0; i < 26; i++) {
        const age = (seconds * 0.5 + i / 26) % 1
        const angle = ((i * 0.618) % 1) - 0.5
        context.fillStyle = `rgba(255,${Math.round(190 - 110 * age)},60,${1 - age})`
        fillEllipse(context, angle * 0.5 * age, -0.22 - 0.42 * age + 0.5 * age * age, 0.006, 0.006)
      }
      for (let i = 0; i < 6; i++) {
        const age = (seconds * 0.1 + i / 6) % 1
        context.fillStyle = `rgba(60,46,56,${0.5 * Math.sin(age * Math.PI)})`
        fillEllipse(
          context,
          0.1 * age + 0.03 * Math.sin(i * 2),
          -0.28 - 0.4 * age,
          0.06 + 0.12 * age,
          0.05 + 0.09 * age,
        )
      }
    })
    enter('backdrop', 0.3, horizon + 0.06)
    enter('air', 0.5, -0.14)
    addGround(stage, 0.5, {
      base: horizon + 0.1,
      colour: mix(palette.ridge[3], '#4a2c2c', 0.5),
      roll: 0.03,
      grain: 0.12,
    })
    enter('ground', 0.7, horizon + 0.28, 'shadow')
    addGround(stage, 0.95, { base: horizon + 0.33, colour: mix(palette.near, '#2a1a1e', 0.5), roll: 0.03, grain: 0.1 })
  },
}

/** A calm horizon for things that have no place of their own. */
export const studio: Place = {
  horizon: 0.1,
  compose(stage, enter) {
    const { palette, viewport } = stage
    addSky(stage)
    enter('backdrop', 0.4, viewport.horizon + 0.1, 'shadow')
    enter('air', 0.6, -0.05)
    addGround(stage, 0.5, { base: viewport.horizon, colour: mix(palette.ridge[1], palette.haze, 0.4), roll: 0.008 })
    enter('surface', 0.7, viewport.horizon + 0.22, 'shadow')
    enter('ground', 0.7, viewport.horizon + 0.24, 'shadow')
    enter('table', 0.75, viewport.horizon + 0.26, 'shadow')
  },
}
