import { mix } from '../colour.ts'
import { addBirds } from '../nature/birds.ts'
import { addFog } from '../nature/fog.ts'
import { addGrass } from '../nature/grass.ts'
import { addRidge } from '../nature/ridge.ts'
import { addSky } from '../nature/sky.ts'
import { addPineFrame } from '../nature/trees.ts'
import { addWater } from '../nature/water.ts'
import type { Scene } from '../stage.ts'
import { addBalloons, addBoat, addLedgeWithFigure } from '../subjects.ts'

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
