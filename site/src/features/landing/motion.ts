/** Returns false with reduced motion or data saver, and on devices or connections marked as slow. */
export function isMotionAllowed(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  if (connection?.saveData || document.documentElement.dataset.motion === 'calm') return false
  return !matchMedia('(prefers-reduced-motion: reduce)').matches
}
