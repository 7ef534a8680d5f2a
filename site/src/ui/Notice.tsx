import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import type { Tone } from './toasts/toasts.ts'

/** An inline message. Unlike a toast, it does not disappear. */
export function Notice({ tone, quiet = false, children }: { tone: Tone; quiet?: boolean; children: ReactNode }) {
  return (
    <div className={quiet ? 'notice notice-quiet' : 'notice'} data-tone={tone}>
      <Icon name={tone === 'info' ? 'info' : 'alert'} />
      <div>{children}</div>
    </div>
  )
}
