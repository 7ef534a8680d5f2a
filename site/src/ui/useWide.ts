import { useSyncExternalStore } from 'react'

const WIDE = '(min-width: 992px)'

/** Returns whether the window has room for two columns. */
export const isWide = (): boolean => matchMedia(WIDE).matches

function listen(onChange: () => void): () => void {
  const query = matchMedia(WIDE)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Like `isWide`, and renders again when that changes. */
export const useWide = (): boolean => useSyncExternalStore(listen, isWide)
