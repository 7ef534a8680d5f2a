export const TIMES_OF_DAY = ['dawn', 'day', 'sunset', 'night'] as const
export type TimeOfDay = (typeof TIMES_OF_DAY)[number]

/** The colours of a time of day, as `#rrggbb`. */
export type Palette = Readonly<{
  /** Gradient stops from the zenith to the horizon. */
  sky: readonly [string, string, string, string, string]
  /** Colour of the sun or moon; `sunHeight` is the world y of its centre. */
  sun: string
  sunHeight: number
  /** Ridge colours from far to near. */
  ridge: readonly [string, string, string, string, string]
  /** Colour towards which distant objects fade. */
  haze: string
  water: Readonly<{ tint: string; deep: string }>
  /** Colour of lit edges. */
  light: string
  /** Colour of the nearest and darkest objects. */
  near: string
}>

export const PALETTES: Readonly<Record<TimeOfDay, Palette>> = {
  dawn: {
    sky: ['#3a4a86', '#8b7bb5', '#f0a6a0', '#ffd9a8', '#ffeccb'],
    sun: '#fff1cf',
    sunHeight: 0.02,
    ridge: ['#a99cc4', '#7f78ab', '#575a8c', '#363d68', '#1c2444'],
    haze: '#f6c3ae',
    water: { tint: '#d79a9d', deep: '#4a4a7d' },
    light: '#ffcfa6',
    near: '#141a33',
  },
  day: {
    sky: ['#1f6fc2', '#4f9fe0', '#8cc6ef', '#c6e6f7', '#e9f6fb'],
    sun: '#fffbe8',
    sunHeight: -0.26,
    ridge: ['#a3c3da', '#7299b8', '#4b7d86', '#2f6157', '#1c4234'],
    haze: '#d9edf7',
    water: { tint: '#8ccbe6', deep: '#136391' },
    light: '#fff4cf',
    near: '#12301f',
  },
  sunset: {
    sky: ['#1d1b4b', '#5b2a6e', '#c2456b', '#f7825a', '#ffd07a'],
    sun: '#ffe9a8',
    sunHeight: 0.05,
    ridge: ['#b0597a', '#7c3f6f', '#51305f', '#2f2149', '#170f2b'],
    haze: '#ff9a66',
    water: { tint: '#f58a5e', deep: '#2b1c50' },
    light: '#ffb36b',
    near: '#0f0a20',
  },
  night: {
    sky: ['#040717', '#0a1333', '#142352', '#25406f', '#3f6184'],
    sun: '#e9f1ff',
    sunHeight: -0.24,
    ridge: ['#2c466b', '#1f3557', '#152644', '#0d1930', '#060c1b'],
    haze: '#4c6f95',
    water: { tint: '#355a80', deep: '#050b1c' },
    light: '#9fc3ff',
    near: '#03060f',
  },
}
