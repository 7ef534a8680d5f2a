import type { Resolution } from '#backend/tasks/models.contract.ts'

/**
 * Returns the size of a video in pixels. The resolution is its shorter side; `aspect` (width divided by height) gives the
 * other. Both are even, as the encoder requires.
 */
export function outputSize(resolution: Resolution, aspect = 16 / 9): { width: number; height: number } {
  const short = Number.parseInt(resolution, 10)
  const bounded = Math.min(2.5, Math.max(0.4, aspect))
  const even = (pixels: number) => 2 * Math.round(pixels / 2)
  return bounded >= 1
    ? { width: even(short * bounded), height: short }
    : { width: short, height: even(short / bounded) }
}
