import { clamp01 } from './random.ts'

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number]

/** Parses `#rrggbb`. */
export function parseHex(hex: string): Rgb {
  const channel = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [channel(1), channel(3), channel(5)]
}

/** Mixes two `#rrggbb` colours: 0 returns `from`, 1 returns `to`. */
export function mix(from: string, to: string, amount: number): string {
  const a = parseHex(from)
  const b = parseHex(to)
  const share = clamp01(amount)
  const channel = (i: 0 | 1 | 2) =>
    Math.round(a[i] + (b[i] - a[i]) * share)
      .toString(16)
      .padStart(2, '0')
  return `#${channel(0)}${channel(1)}${channel(2)}`
}

/** Adds an opacity, 0 to 1, to a `#rrggbb` colour. */
export function withAlpha(hex: string, alpha: number): string {
  const [red, green, blue] = parseHex(hex)
  return `rgba(${red},${green},${blue},${clamp01(alpha).toFixed(4)})`
}
