import { mix } from '../colour.ts'
import { addBirds } from '../nature/birds.ts'
import { addFog } from '../nature/fog.ts'
import { addFlowers, addGrass } from '../nature/grass.ts'
import { addRidge } from '../nature/ridge.ts'
import { addSky } from '../nature/sky.ts'
import { addLoneTree } from '../nature/trees.ts'
import type { Scene } from '../stage.ts'
import { addBalloons, addFigure } from '../subjects.ts'

const FAR_FLOWERS = ['#ffd1e8', '#fff3b0', '#ffffff', '#d7b5ff']
const NEAR_FLOWERS = ['#ff9ecb', '#ffe27a', '#ffffff', '#c29bff']

/** A flowering meadow with a lone tree and far hills. */
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
