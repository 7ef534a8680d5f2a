import type { ReactNode } from 'react'
import { Placeholder } from './task/Placeholder.tsx'

interface EmptyProps {
  readonly title: ReactNode
  readonly text: string
  /** Shows the placeholder picture above the title. */
  readonly picture?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** Explains an empty list and offers a next step. */
export function Empty({ title, text, picture = false, className = '', children }: EmptyProps) {
  return (
    <div className={`empty centered stack gap-3 ${className}`}>
      {picture && (
        <div className="empty-art">
          <Placeholder />
        </div>
      )}
      {title}
      <p>{text}</p>
      {children}
    </div>
  )
}
