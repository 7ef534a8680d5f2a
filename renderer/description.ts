import { mix } from './paint.ts'
import { PALETTES, type Palette, TIMES_OF_DAY, type TimeOfDay } from './palette.ts'
import { createRandom, hashText } from './random.ts'
import type { Reading } from './reading/readPrompt.ts'

/** The picture of a reading. The seed sets what the prompt leaves open, such as the hour, but never adds a subject. */
export type Description = Readonly<{
  seed: number
  place: string
  time: TimeOfDay
  palette: Palette
  weather: readonly string[]
  season: string | undefined
  /** Whether snow lies on the ground. */
  isSnowy: boolean
  neon: boolean
  /** Whether the ground is the red one of Mars. */
  isMars: boolean
}>

/** Hours of places that do not look right at any other one. */
const HOURS: Readonly<Record<string, readonly TimeOfDay[]>> = {
  ...{ space: ['night'], moon: ['night'], stage: ['night'], volcano: ['night', 'sunset'], underwater: ['day'] },
  ...{
    street: ['night', 'sunset'],
    city: ['night', 'sunset'],
    table: ['day', 'sunset'],
    room: ['day', 'sunset'],
    greenhouse: ['day'],
    garden: ['day', 'dawn'],
  },
}
const FIXED = new Set(['space', 'moon', 'stage', 'underwater'])

export function describe(reading: Reading, place: string, seed: number): Description {
  const random = createRandom(hashText(`${seed}/hour`))
  const { weather, season, styles } = reading
  const needsNight = weather.includes('aurora') || weather.includes('fireflies') || weather.includes('fireworks')
  const hours = HOURS[place] ?? ['dawn', 'day', 'sunset']
  const asked = TIMES_OF_DAY.find((time) => time === reading.time)
  const time = FIXED.has(place) ? hours[0]! : (asked ?? (needsNight ? 'night' : random.pick(hours)))
  return {
    ...{ seed, place, time, weather, season },
    palette: paletteOf(time, reading),
    isSnowy: season === 'winter' || weather.includes('snow') || place === 'snowfield',
    neon: styles.includes('neon') || place === 'street',
    isMars: styles.includes('mars'),
  }
}

/** Returns the colours of an hour: greyer in rain, warmer in autumn, washed out in ink. */
function paletteOf(time: TimeOfDay, { styles, weather, season }: Reading): Palette {
  const base = PALETTES[time]
  const [tone, amount] = styles.includes('ink')
    ? (['#9eaaa6', 0.5] as const)
    : weather.includes('rain')
      ? (['#55647a', 0.42] as const)
      : season === 'autumn'
        ? (['#cb8c4c', 0.16] as const)
        : (['#000000', 0] as const)
  if (amount === 0) return base
  const tint = (colour: string) => mix(colour, tone, amount)
  const [a, b, c, d, e] = base.sky
  const [f, g, h, i, j] = base.ridge
  return {
    ...base,
    sky: [tint(a), tint(b), tint(c), tint(d), tint(e)],
    ridge: [tint(f), tint(g), tint(h), tint(i), tint(j)],
    haze: tint(base.haze),
    water: { tint: tint(base.water.tint), deep: tint(base.water.deep) },
  }
}
