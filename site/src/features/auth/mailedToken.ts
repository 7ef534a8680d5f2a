import { useEffect, useRef } from 'react'

/** Returns the token in the fragment of a mailed link, which no server logs; empty if there is none. */
export const tokenOf = ({ hash }: Location): string => new URLSearchParams(hash.slice(1)).get('token') ?? ''

/** Runs an effect once. React may run effects twice, and a mailed token is single-use. */
export function useOnce(effect: () => void): void {
  const ran = useRef(false)
  useEffect(() => {
    if (ran.current) return
    ran.current = true
    effect()
  })
}
