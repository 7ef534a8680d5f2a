/** Returns whether the viewer, the network or the device asks for less motion. */
export const isMotionReduced = (): boolean =>
  matchMedia('(prefers-reduced-motion: reduce)').matches || document.documentElement.dataset.motion === 'calm'
