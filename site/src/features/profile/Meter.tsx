import type { CSSProperties } from 'react'

interface MeterProps {
  readonly label: string
  readonly text: string
  /** Fraction that is used, 0 to 1. */
  readonly part: number
}

/** A bar that shows how much of a limit is used. */
export const Meter = ({ label, text, part }: MeterProps) => (
  // biome-ignore lint/a11y/useSemanticElements: browsers render the native meter differently.
  <div
    className="usage-bar"
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.round(part * 100)}
    aria-valuetext={text}
  >
    <span className="progress-fill" style={{ '--part': part } as CSSProperties} />
  </div>
)
