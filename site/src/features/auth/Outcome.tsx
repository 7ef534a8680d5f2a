import type { ReactNode } from 'react'
import { Icon } from '../../ui/Icon.tsx'
import type { IconName } from '../../ui/icons.ts'

interface OutcomeProps {
  readonly tone: 'info' | 'success'
  readonly icon: IconName
  readonly heading: string
  readonly children: ReactNode
}

const focus = (heading: HTMLElement | null) => heading?.focus()

/** What a form led to, in its place: the focus moves here with it, so that it is read out. */
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
