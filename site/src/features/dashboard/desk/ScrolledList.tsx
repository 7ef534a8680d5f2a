import type { ReactNode } from 'react'

/** A list that scrolls if it is long. */
export function ScrolledList({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be keyboard accessible.
    <ul className="desk-lines" tabIndex={0}>
      {children}
    </ul>
  )
}
