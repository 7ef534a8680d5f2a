/** Returns whether clips may autoplay. Reduced motion, data saving, and slow devices marked by `boot.js` forbid it. */
export function isMotionAllowed(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  if (connection?.saveData || document.documentElement.dataset.motion === 'calm') return false
  return !matchMedia('(prefers-reduced-motion: reduce)').matches
}
