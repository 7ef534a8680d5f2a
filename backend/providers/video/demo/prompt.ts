import { PALETTES, type Palette, type TimeOfDay } from './palette.ts'
import { createRandom, hashText } from './random.ts'
import {
  AURORA_WORDS,
  BIOME_WORDS,
  type Biome,
  NEON_WORDS,
  SUBJECT_WORDS,
  type Subject,
  TIME_WORDS,
  WEATHER_WORDS,
  type Weather,
} from './vocabulary.ts'

/** The scene of a prompt. Properties that the prompt does not mention are chosen by its seed. */
export type Description = Readonly<{
  seed: number
  biome: Biome
  time: TimeOfDay
  palette: Palette
  weather: readonly Weather[]
  subject: Subject | undefined
  /** Adds a flock to the sky. */
  birds: boolean
  aurora: boolean
  neon: boolean
}>

/** Parses an English or Chinese prompt. The same prompt and seed always give the same description. */
export function parsePrompt(prompt: string, seed?: number): Description {
  const text = prompt.trim()
  const ownSeed = (seed ?? hashText(text.toLowerCase())) >>> 0
  const random = createRandom(ownSeed)
  const drawn = {
    biome: random.pick<Biome>(['mountain', 'ocean', 'field', 'forest', 'city', 'space']),
    time: random.pick<TimeOfDay>(['dawn', 'sunset', 'sunset', 'day', 'night']),
    birds: random.chance(0.6),
  }
  const subject = earliest(SUBJECT_WORDS, text)
  const biome = earliest(BIOME_WORDS, text) ?? biomeOf(subject) ?? drawn.biome
  const time = earliest(TIME_WORDS, text) ?? (biome === 'city' || biome === 'space' ? 'night' : drawn.time)
  return {
    seed: ownSeed,
    biome,
    time,
    palette: PALETTES[time],
    weather: [...WEATHER_WORDS].filter(([, words]) => words.test(text)).map(([weather]) => weather),
    subject,
    birds: subject === 'birds' || SUBJECT_WORDS.get('birds')!.test(text) || drawn.birds,
    aurora: AURORA_WORDS.test(text),
    neon: NEON_WORDS.test(text),
  }
}

/** Returns the key whose words appear first in the text. */
function earliest<K extends string>(words: ReadonlyMap<K, RegExp>, text: string): K | undefined {
  let found: { key: K; at: number } | undefined
  for (const [key, pattern] of words) {
    const at = text.search(pattern)
    if (at >= 0 && (!found || at < found.at)) found = { key, at }
  }
  return found?.key
}

/** Returns the usual place of a subject. */
function biomeOf(subject: Subject | undefined): Biome | undefined {
  return subject === 'cat' || subject === 'dog' || subject === 'balloon' ? 'field' : undefined
}
