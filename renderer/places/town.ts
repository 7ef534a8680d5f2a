import { addGrass } from '../nature/plants.ts'
import { addRidge } from '../nature/ridge.ts'
import { addFog, addSky } from '../nature/sky.ts'
import { addWater } from '../nature/water.ts'
import { mix, verticalGradient, withAlpha } from '../paint.ts'
import { addLayer } from '../stage.ts'
import { addBuildings } from '../town/buildings.ts'
import { addShops, addTiledHouses, addWetLight } from '../town/fronts.ts'
import { addPromenade, addTraffic } from '../town/quay.ts'
import { addGround, addHills, greenOf, type Place } from './place.ts'

export const city: Place = {
  horizon: 0.16,
  compose(stage, enter) {
    const { palette, viewport, description, isNight } = stage
    const quay = viewport.horizon
    const isDay = description.time === 'day'
    const concrete = (row: number) => mix(palette.ridge[row]!, isDay ? '#51677f' : '#0a1026', isDay ? 0.6 : 0.25)
    addSky(stage)
    for (const [nearness, width, height, row, haze] of [
      [0.08, 0.055, 0.38, 1, 0.55],
      [0.2, 0.1, 0.44, 3, 0.3],
    ] as const) {
      addBuildings(stage, { nearness, width, height, haze, base: quay + 0.01, colour: concrete(row) })
      addFog(stage, nearness + 0.01, { y: quay - 0.03, height: 0.06, density: 0.5, drift: 0.012 })
    }
    enter('backdrop', 0.24, quay + 0.005)
    enter('air', 0.5, -0.14)
    addTraffic(stage, 0.24, quay)
    addWater(stage, {
      ...{ tint: mix(palette.water.tint, '#0b1530', isDay ? 0.1 : 0.5), deep: isDay ? '#1c4a66' : '#040816' },
      ...{ ripple: 0.0045, depth: isNight ? 0.55 : 0.6, glitter: false },
    })
    enter('surface', 0.45, quay + 0.1, 'reflection')
    addPromenade(stage, { nearness: 0.66, level: 0.36 })
    enter('ground', 0.72, 0.43, 'shadow')
  },
}

export const street: Place = {
  horizon: 0.1,
  compose(stage, enter) {
    const { palette, isNight, description } = stage
    const kerb = 0.24
    addSky(stage)
    addBuildings(stage, {
      nearness: 0.14,
      width: 0.09,
      height: 0.5,
      haze: 0.35,
      base: kerb,
      colour: mix(palette.ridge[2], '#151a30', isNight ? 0.4 : 0.2),
    })
    enter('air', 0.3, -0.2)
    addShops(stage, 0.42, kerb)
    enter('backdrop', 0.45, kerb + 0.01)
    const asphalt = mix(palette.ridge[3], '#20222e', isNight ? 0.75 : 0.5)
    addGround(stage, 0.5, { base: kerb, colour: asphalt, low: mix(asphalt, '#05060c', 0.5), roll: 0, grain: 0.04 })
    if (isNight || description.weather.includes('rain')) addWetLight(stage, kerb)
    enter('surface', 0.7, 0.37, 'shadow')
    enter('table', 0.7, 0.4, 'shadow')
    enter('ground', 0.7, 0.41, 'shadow')
  },
}

export const lane: Place = {
  horizon: 0.1,
  compose(stage, enter) {
    const { palette, isNight } = stage
    addSky(stage)
    addHills(stage, 0.1)
    enter('air', 0.3, -0.18)
    addTiledHouses(stage, 0.34, 0.22, '#a9a39c')
    enter('backdrop', 0.45, 0.25)
    const stone = mix('#9a938a', palette.ridge[3], isNight ? 0.7 : 0.25)
    addGround(stage, 0.5, { base: 0.22, colour: stone, low: mix(stone, palette.near, 0.5), roll: 0.003, grain: 0.1 })
    enter('surface', 0.7, 0.36, 'shadow')
    enter('table', 0.7, 0.38, 'shadow')
    enter('ground', 0.7, 0.4, 'shadow')
  },
}

export const watertown: Place = {
  horizon: 0.16,
  compose(stage, enter) {
    const { palette, viewport, isNight } = stage
    const water = viewport.horizon
    addSky(stage)
    addRidge(stage, {
      nearness: 0.07,
      base: water,
      height: 0.14,
      frequency: 1.3,
      variant: 3,
      colour: palette.ridge[0],
      haze: 0.8,
      relief: 0.4,
      bottom: water + 0.05,
    })
    addFog(stage, 0.1, { y: water - 0.04, height: 0.05, density: 0.7 })
    addTiledHouses(stage, 0.22, water + 0.005, '#efebe3')
    enter('backdrop', 0.28, water + 0.02)
    enter('air', 0.4, -0.16)
    addWater(stage, {
      tint: mix(palette.water.tint, '#7aa596', 0.4),
      deep: mix(palette.water.deep, '#1f3f3a', 0.4),
      ripple: 0.004,
      depth: 0.55,
      glitter: false,
    })
    enter('surface', 0.5, water + 0.11, 'reflection')
    const stone = mix('#b5aea2', palette.ridge[2], isNight ? 0.6 : 0.15)
    const arch = (x: number) => 0.4 - 0.1 * Math.exp(-((x / 0.75) ** 4))
    addLayer(stage, 0.66, { top: 0.2 }, (context, box) => {
      context.fillStyle = verticalGradient(context, 0.26, 0.5, {
        0: mix(stone, palette.light, 0.15),
        1: mix(stone, palette.near, 0.55),
      })
      context.beginPath()
      context.moveTo(box.left, box.bottom)
      for (let x = box.left; x <= box.right + 0.02; x += 0.02) context.lineTo(x, arch(x))
      context.lineTo(box.right, box.bottom)
      context.fill()
      context.fillStyle = mix(stone, palette.near, 0.3)
      for (let x = Math.floor(box.left / 0.13) * 0.13; x < box.right; x += 0.13)
        context.fillRect(x, arch(x) - 0.045, 0.014, 0.05)
      context.strokeStyle = mix(stone, palette.near, 0.22)
      context.lineWidth = 0.01
      context.beginPath()
      for (let x = box.left; x <= box.right; x += 0.02) context.lineTo(x, arch(x) - 0.04)
      context.stroke()
    })
    enter('ground', 0.72, 0.34, 'shadow')
    addGrass(stage, 0.95, { base: 0.47, length: 0.05, colour: mix(palette.near, greenOf(stage, 3), 0.4), density: 260 })
  },
}

export const road: Place = {
  horizon: 0.07,
  compose(stage, enter) {
    const { palette, viewport, isNight } = stage
    const sea = viewport.horizon
    addSky(stage)
    addRidge(stage, {
      nearness: 0.07,
      base: sea,
      height: 0.12,
      frequency: 1.2,
      variant: 4,
      colour: palette.ridge[0],
      haze: 0.7,
      relief: 0.6,
      bottom: sea + 0.05,
    })
    enter('backdrop', 0.2, sea + 0.02)
    addWater(stage, { ...palette.water, depth: 0.5 })
    enter('air', 0.5, -0.12)
    enter('surface', 0.3, sea + 0.06, 'reflection')
    addGrass(stage, 0.4, { base: sea + 0.1, length: 0.03, colour: greenOf(stage, 2), density: 420 })
    const asphalt = mix(palette.ridge[3], '#3a3c46', isNight ? 0.4 : 0.65)
    addLayer(stage, 0.55, { top: sea + 0.11, bottom: 0.5 }, (context, box) => {
      const wide = box.right - box.left
      context.fillStyle = mix('#b9bcc4', palette.near, isNight ? 0.6 : 0.2)
      context.fillRect(box.left, sea + 0.12, wide, 0.012)
      for (let x = Math.floor(box.left / 0.16) * 0.16; x < box.right; x += 0.16)
        context.fillRect(x, sea + 0.12, 0.01, 0.05)
      context.fillStyle = verticalGradient(context, sea + 0.16, 0.5, {
        0: mix(asphalt, palette.light, 0.12),
        1: mix(asphalt, palette.near, 0.4),
      })
      context.fillRect(box.left, sea + 0.16, wide, 0.4)
    })
    addLayer(stage, 0.7, { top: sea + 0.2, bottom: sea + 0.36 }, (context, box) => {
      context.fillStyle = withAlpha('#f2ead8', isNight ? 0.5 : 0.8)
      for (let x = Math.floor(box.left / 0.3) * 0.3; x < box.right; x += 0.3)
        context.fillRect(x, sea + 0.245, 0.15, 0.007)
      context.fillRect(box.left, sea + 0.345, box.right - box.left, 0.006)
    })
    enter('table', 0.7, sea + 0.3, 'shadow')
    enter('ground', 0.7, sea + 0.3, 'shadow')
    addGrass(stage, 0.95, { base: 0.48, length: 0.06, colour: greenOf(stage, 4), density: 260 })
  },
}
