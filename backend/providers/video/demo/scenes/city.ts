import { mix } from '../colour.ts'
import { addFog } from '../nature/fog.ts'
import { addSky } from '../nature/sky.ts'
import { addWater } from '../nature/water.ts'
import type { Scene } from '../stage.ts'
import { addBalloons, addBoat, addFigure } from '../subjects.ts'
import { addBuildings } from '../town/buildings.ts'
import { addPromenade, addTraffic } from '../town/quay.ts'

/** A skyline across the water, traffic along its quay, and street lamps on the near side. */
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
