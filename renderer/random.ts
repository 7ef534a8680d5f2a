import { noise } from '../backend/tasks/camera/noise.contract.ts'

export { noise }

/** A seeded pseudo-random number generator that produces the same sequence on every machine. */
export type Random = Readonly<{
  /** Returns a number in [0, 1). */
  next: () => number
  range: (low: number, high: number) => number
  /** Returns an integer in [low, high]. */
  integer: (low: number, high: number) => number
  pick: <T>(items: readonly T[]) => T
  chance: (probability: number) => boolean
}>

/** Returns an unsigned 32-bit hash of a string (FNV-1a with the MurmurHash3 finalizer). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Creates a mulberry32 generator. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    range: (low, high) => low + (high - low) * next(),
    integer: (low, high) => Math.floor(low + (high - low + 1) * next()),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    chance: (probability) => next() < probability,
  }
}

/** Returns fractal noise from 0 to 1, for clouds, nebulae and mist. */
export function fractalNoise(x: number, y: number, seed = 0, octaves = 5): number {
  let value = 0
  let weight = 1
  let total = 0
  for (let octave = 0; octave < octaves; octave++) {
    value += weight * noise(x, y, seed + octave * 17)
    total += weight
    weight *= 0.5
    x = x * 2.03 + 13.7
    y = y * 2.03 + 7.3
  }
  return value / total
}

/** Returns ridged fractal noise from 0 to 1, for mountains and rock. */
export function ridgedNoise(x: number, y: number, seed = 0, octaves = 5): number {
  let value = 0
  let weight = 1
  let total = 0
  for (let octave = 0; octave < octaves; octave++) {
    const crest = 1 - Math.abs(2 * noise(x, y, seed + octave * 31) - 1)
    value += weight * crest * crest
    total += weight
    weight *= 0.5
    x = x * 2.07 + 5.1
    y = y * 2.07 + 9.2
  }
  return value / total
}

export const clamp01 = (value: number) => Math.min(1, Math.max(0, value))
