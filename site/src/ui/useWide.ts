import { useSyncExternalStore } from 'react'

// In em, because large text needs the room of two columns.
const WIDE = '(min-width: 62em)'

/** Returns whether the window has room for two columns. */
export const isWide = (): boolean => matchMedia(WIDE).matches

function listen(onChange: () => void): () => void {
  const query = matchMedia(WIDE)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Like `isWide`, and renders again when that changes. */
export const useWide = (): boolean => useSyncExternalStore(listen, isWide)
