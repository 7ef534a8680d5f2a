import { useEffect, useState } from 'react'

/** Returns the address of a file with the text, for a link that downloads it; undefined before the first effect. */
export function useTextFile(text: string, type: 'text/plain' | 'text/csv'): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [text, type])
  return address
}
