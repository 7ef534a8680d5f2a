export const RESOLUTIONS = ['512P', '720P', '768P', '1080P'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

const SHORTER_SIDE: Readonly<Record<Resolution, number>> = { '512P': 512, '720P': 720, '768P': 768, '1080P': 1080 }

/**
 * The size of a video in pixels: the resolution is its shorter side, `aspect` (width divided by height) gives the
 * other. Both are even, as the encoder asks for.
 */
export function outputSize(resolution: Resolution, aspect = 16 / 9): { width: number; height: number } {
  const short = SHORTER_SIDE[resolution]
  const bounded = Math.min(2.5, Math.max(0.4, aspect))
  const even = (pixels: number) => 2 * Math.round(pixels / 2)
  return bounded >= 1
    ? { width: even(short * bounded), height: short }
    : { width: short, height: even(short / bounded) }
}
