import { addGrass, addTrunks } from '../nature/plants.ts'
import { addFog, addSky } from '../nature/sky.ts'
import { fillEllipse, fillPolygon, horizontalGradient, mix, withAlpha } from '../paint.ts'
import { addLayer, type Stage, scatter } from '../stage.ts'
import { addSnowfield, type Place } from './place.ts'

type Row = Readonly<{ nearness: number; density: number; clearing: number }>

/** A wood of any kind of trunks: three rows behind the actors, and a few trunks in front at the sides. */
const wood = (addRow: (stage: Stage, row: Row) => void): Place => ({
  horizon: 0.06,
  compose(stage, enter) {
    const { palette, viewport, description } = stage
    const { horizon } = viewport
    const soil = mix(palette.near, description.season === 'autumn' ? '#8a4e22' : '#33603a', 0.62)
    const floor = (nearness: number, base: number) =>
      description.isSnowy
        ? addSnowfield(stage, nearness, base)
        : addGrass(stage, nearness, { base, length: 0.035, colour: soil, density: 400 })
    addSky(stage)
    addFog(stage, 0.08, { y: horizon + 0.05, height: 0.2, density: 1 })
    addRow(stage, { nearness: 0.12, density: 11, clearing: 0 })
    addRow(stage, { nearness: 0.3, density: 5, clearing: 0.1 })
    addFog(stage, 0.34, { y: horizon + 0.14, height: 0.12, density: 0.7, drift: 0.025 })
    floor(0.4, horizon + 0.16)
    enter('backdrop', 0.5, horizon + 0.21)
    addRow(stage, { nearness: 0.52, density: 2.4, clearing: 0.34 })
    enter('air', 0.6, -0.1)
    enter('surface', 0.65, horizon + 0.3, 'shadow')
    enter('ground', 0.7, horizon + 0.33, 'shadow')
    addRow(stage, { nearness: 0.95, density: 0.9, clearing: 0.66 })
    floor(0.95, 0.45)
  },
})

export const forest = wood((stage, { nearness, density, clearing }) => {
  const leaf = stage.description.season === 'autumn' ? '#c98a4a' : '#8fb59a'
  const colour = mix(mix(stage.palette.haze, leaf, 0.4), stage.palette.near, Math.min(1, nearness * 1.5))
  addTrunks(stage, {
    nearness,
    density,
    clearing,
    colour,
    foliage: stage.description.isSnowy ? -0.5 : -0.02 - 0.28 * Math.sqrt(nearness),
  })
})

export const birchwood = wood((stage, { nearness, density, clearing }) => {
  const { palette, description } = stage
  const bark = mix(mix('#f3efe8', palette.haze, 0.6 - 0.5 * nearness), palette.ridge[2], stage.isNight ? 0.5 : 0.06)
  const leaf = description.isSnowy ? undefined : description.season === 'autumn' ? '#e0a02e' : '#7aa84a'
  addLayer(stage, nearness, { sway: 0.003 }, (context, box) => {
    scatter(stage, `birches${nearness}`, { ...box, spacing: 1.25 / density }, (place, random) => {
      const x = Math.abs(place) < clearing ? place + Math.sign(place || 1) * clearing : place
      const width = (0.008 + 0.042 * nearness) * random.range(0.6, 1.1)
      const lean = random.range(-0.03, 0.03)
      context.fillStyle = horizontalGradient(context, x - width / 2, x + width / 2, {
        0: mix(bark, palette.near, 0.3),
        0.5: bark,
        1: mix(bark, palette.near, 0.18),
      })
      fillPolygon(
        context,
        [x - width * 0.4 + lean, box.top],
        [x + width * 0.4 + lean, box.top],
        [x + width * 0.6, box.bottom],
        [x - width * 0.6, box.bottom],
      )
      context.fillStyle = withAlpha(mix('#2a2430', bark, 0.25), 0.85)
      for (let y = -0.7 + random.range(0, 0.06); y < 0.5; y += random.range(0.04, 0.11)) {
        const left = random.chance(0.5) ? -0.42 : 0.05
        context.fillRect(
          x + width * left + lean * (0.1 - y),
          y,
          width * random.range(0.2, 0.42),
          0.003 + 0.008 * nearness * random.next(),
        )
      }
      if (!leaf) return
      for (let i = 0; i < 26; i++) {
        context.fillStyle = withAlpha(mix(leaf, palette.light, random.range(0, 0.35)), 0.8)
        fillEllipse(
          context,
          x + random.range(-0.12, 0.12),
          random.range(-0.75, -0.22),
          0.012 * (0.5 + nearness),
          0.007 * (0.5 + nearness),
          random.range(0, 3),
        )
      }
    })
  })
})

export const bamboo = wood((stage, { nearness, density, clearing }) => {
  const { palette } = stage
  const tone = mix(mix('#7fae4e', palette.haze, 0.55 - 0.5 * nearness), palette.near, stage.isNight ? 0.55 : 0.12)
  addLayer(stage, nearness, { sway: 0.008 }, (context, box) => {
    scatter(stage, `bamboo${nearness}`, { ...box, spacing: 0.7 / density }, (place, random) => {
      const x = Math.abs(place) < clearing ? place + Math.sign(place || 1) * clearing : place
      const width = (0.006 + 0.026 * nearness) * random.range(0.7, 1.1)
      const lean = random.range(-0.06, 0.06)
      const step = 0.09 + 0.08 * nearness
      for (let y = box.top; y < box.bottom; y += step) {
        const shift = lean * (0.2 - y)
        context.fillStyle = horizontalGradient(context, x + shift - width / 2, x + shift + width / 2, {
          0: mix(tone, palette.near, 0.3),
          0.4: mix(tone, palette.light, 0.2),
          1: mix(tone, palette.near, 0.2),
        })
        context.fillRect(x + shift - width / 2, y, width, step - 0.004)
        if (y > -0.05 || random.chance(0.4)) continue
        context.fillStyle = withAlpha(mix(tone, palette.light, random.range(0, 0.3)), 0.85)
        for (let leaf = 0; leaf < 4; leaf++)
          fillEllipse(
            context,
            x + shift + random.range(-0.07, 0.07),
            y + random.range(-0.03, 0.03),
            0.03 * (0.4 + nearness),
            0.005 * (0.4 + nearness),
            random.range(-0.6, 0.6),
          )
      }
    })
  })
})
