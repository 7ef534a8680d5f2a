interface Connection {
  readonly saveData?: boolean
}

/**
 * Whether pictures may move by themselves: not for readers who asked for calm, not where data are saved, and not on the
 * slow networks and small devices that `boot.js` has marked.
 */
export function motionWelcome(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: Connection }
  if (connection?.saveData || document.documentElement.dataset.motion === 'calm') return false
  return !matchMedia('(prefers-reduced-motion: reduce)').matches
}
