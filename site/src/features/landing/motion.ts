/** Returns whether clips may autoplay: false with reduced motion, data saver, or a device that `boot.js` marks as slow. */
export function isMotionAllowed(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  if (connection?.saveData || document.documentElement.dataset.motion === 'calm') return false
  return !matchMedia('(prefers-reduced-motion: reduce)').matches
}
