import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './icons.ts'

interface OutcomeProps {
  readonly tone: 'info' | 'success'
  readonly icon: IconName
  readonly heading: string
  readonly children: ReactNode
}

const focus = (heading: HTMLElement | null) => heading?.focus()

/** Replaces a form by its result. The heading takes the focus, so that screen readers announce it. */
export function Outcome({ tone, icon, heading, children }: OutcomeProps) {
  return (
    <div className="outcome">
      <span className="outcome-icon" data-tone={tone}>
        <Icon name={icon} />
      </span>
      <h1 ref={focus} tabIndex={-1}>
        {heading}
      </h1>
      {children}
    </div>
  )
}
