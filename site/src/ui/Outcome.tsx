import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './icons.ts'

interface OutcomeProps {
  readonly tone: 'info' | 'success' | 'danger'
  readonly icon: IconName | 'spinner'
  readonly heading: string
  /** Focuses the heading, so that screen readers announce an outcome that replaces a form. */
  readonly takesFocus?: boolean
  readonly children: ReactNode
}

const focus = (heading: HTMLElement | null) => heading?.focus()

/** Shows the result of submitting a form or opening a link. */
export function Outcome({ tone, icon, heading, takesFocus = false, children }: OutcomeProps) {
  return (
    <div className="stack stack-wide outcome anywhere centered">
      <span className="outcome-icon middle" data-tone={tone}>
        {icon === 'spinner' ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
      </span>
      <h1 {...(takesFocus ? { ref: focus, tabIndex: -1 } : {})}>{heading}</h1>
      {children}
    </div>
  )
}
