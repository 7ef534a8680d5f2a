import { addFlowers, addGrass, addLoneTree, addPineFrame } from '../nature/plants.ts'
import { addRidge } from '../nature/ridge.ts'
import { addBirds, addFog, addSky } from '../nature/sky.ts'
import { addWater } from '../nature/water.ts'
import { mix } from '../paint.ts'
import type { Scene } from '../stage.ts'
import { addBalloons, addBoat, addFigure, addLedgeWithFigure } from '../subjects.ts'
import { addBuildings } from '../town/buildings.ts'
import { addPromenade, addTraffic } from '../town/quay.ts'

/** Snowy peaks over a lake, seen from a wooded shore. */
export const mountain: Scene = {
  horizon: 0.12,
  compose(stage) {
    const { palette, viewport, description } = stage
    const { ridge, near, water } = palette
    const lake = viewport.horizon
    const foot = { bottom: lake + 0.1, base: lake }
    addSky(stage)
    addBalloons(stage)
    addRidge(stage, {
      ...{ ...foot, nearness: 0.07, height: 0.34, frequency: 1.5, variant: 1 },
      ...{ colour: ridge[0], haze: 0.8, relief: 0.8, snow: true },
    })
    addRidge(stage, {
      ...{ ...foot, nearness: 0.11, height: 0.32, frequency: 1.9, variant: 2 },
      ...{ colour: ridge[1], haze: 0.75, relief: 1, snow: true },
    })
    addFog(stage, 0.13, { y: lake - 0.05, height: 0.05, density: 0.7 })
    addRidge(stage, {
      ...{ ...foot, nearness: 0.17, height: 0.15, frequency: 2.6, variant: 3 },
      ...{ colour: ridge[2], haze: 0.6, relief: 0.6, trees: 0.01 },
    })
    addFog(stage, 0.19, { y: lake - 0.015, height: 0.03, density: 0.8 })
    addWater(stage, water)
    if (description.subject === 'boat') addBoat(stage, 0.24, lake + 0.05, 0.5)
    addBirds(stage)
    addRidge(stage, {
      ...{ nearness: 0.42, base: 0.37, height: 0.1, frequency: 0.9, variant: 9 },
      ...{ colour: mix(ridge[3], near, 0.25), hazeColour: near, haze: 0.9, relief: 0.3, trees: 0.016 },
    })
    addGrass(stage, 0.5, { base: 0.4, length: 0.035, colour: mix(near, ridge[3], 0.5), density: 420 })
    addPineFrame(stage, 0.62, { base: 0.47, height: 0.3, colour: ridge[4] })
    addPineFrame(stage, 1, { base: 0.6, height: 0.46, colour: near })
    addLedgeWithFigure(stage)
  },
}

const FAR_FLOWERS = ['#ffd1e8', '#fff3b0', '#ffffff', '#d7b5ff']
const NEAR_FLOWERS = ['#ff9ecb', '#ffe27a', '#ffffff', '#c29bff']

/** A flowering meadow with a lone tree and distant hills. */
export const field: Scene = {
  horizon: 0.05,
  compose(stage) {
    const { palette, viewport, isNight } = stage
    const { ridge, near } = palette
    const { horizon } = viewport
    const green = (distance: 2 | 3 | 4) => mix(ridge[distance], isNight ? '#123524' : '#5a9a3e', 0.55)
    addSky(stage)
    addBalloons(stage)
    addRidge(stage, {
      ...{ nearness: 0.07, base: horizon, height: 0.14, frequency: 1.2, variant: 1, bottom: horizon + 0.14 },
      ...{ colour: ridge[0], haze: 0.75, relief: 0.6 },
    })
    addRidge(stage, {
      ...{ nearness: 0.12, base: horizon + 0.01, height: 0.09, frequency: 1.6, variant: 2, bottom: horizon + 0.16 },
      ...{ colour: ridge[1], haze: 0.6, relief: 0.5, trees: 0.006 },
    })
    addFog(stage, 0.14, { y: horizon, height: 0.03, density: 0.6 })
    addBirds(stage)
    const distant = mix(green(2), palette.haze, 0.16)
    addGrass(stage, 0.22, { base: horizon + 0.04, length: 0.018, colour: distant, density: 700 })
    addLoneTree(stage, 0.26, horizon + 0.06)
    addGrass(stage, 0.4, { base: horizon + 0.12, length: 0.035, colour: green(2), density: 600 })
    addFlowers(stage, 0.42, { base: horizon + 0.16, density: 230, colours: FAR_FLOWERS })
    addGrass(stage, 0.65, { base: horizon + 0.24, length: 0.06, colour: green(3), density: 450 })
    addFlowers(stage, 0.68, { base: horizon + 0.29, density: 170, colours: NEAR_FLOWERS })
    addFigure(stage, 0.7, horizon + 0.27)
    addGrass(stage, 0.72, { base: horizon + 0.3, length: 0.05, colour: green(3), density: 300 })
    addGrass(stage, 1, { base: horizon + 0.42, length: 0.12, colour: mix(near, '#1d3a1a', 0.4), density: 300 })
  },
}

/** A skyline across the water, with traffic on the far bank and street lamps on the near bank. */
export const city: Scene = {
  horizon: 0.16,
  compose(stage) {
    const { palette, viewport, description, isNight } = stage
    const quay = viewport.horizon
    const isDay = description.time === 'day'
    const concrete = (row: number) => mix(palette.ridge[row]!, isDay ? '#51677f' : '#0a1026', isDay ? 0.6 : 0.25)
    addSky(stage)
    addBalloons(stage)
    const rows = [
      { nearness: 0.08, width: 0.055, height: 0.38, row: 1, haze: 0.55 },
      { nearness: 0.14, width: 0.075, height: 0.42, row: 2, haze: 0.42 },
      { nearness: 0.22, width: 0.11, height: 0.44, row: 3, haze: 0.28 },
    ]
    for (const { nearness, width, height, row, haze } of rows) {
      addBuildings(stage, { nearness, width, height, haze, base: quay + 0.01, colour: concrete(row) })
      addFog(stage, nearness + 0.01, { y: quay - 0.03, height: 0.06, density: 0.5, drift: 0.012 })
    }
    addTraffic(stage, 0.24, quay)
    addWater(stage, {
      ...{ tint: mix(palette.water.tint, '#0b1530', isDay ? 0.1 : 0.5), deep: isDay ? '#1c4a66' : '#040816' },
      ...{ ripple: 0.0045, depth: isNight ? 0.55 : 0.6, glitter: false },
    })
    if (description.subject === 'boat') addBoat(stage, 0.34, quay + 0.07, 0.7)
    addPromenade(stage, { nearness: 0.8, level: 0.4 })
    addFigure(stage, 0.84, 0.425)
  },
}
