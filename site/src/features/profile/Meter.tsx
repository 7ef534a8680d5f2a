import type { CSSProperties } from 'react'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'

/** Fraction of a limit from which its bar warns. */
const HIGH = 0.8

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

/** Shows what was spent, with a bar if there is a limit. */
export function Spent({ label, used, limit }: { label: string; used: number; limit: number | null }) {
  const t = translate()
  const number = (value: number) => value.toLocaleString(HTML_LANG[pageLocale()])
  const isLimited = limit !== null
  const part = isLimited ? Math.min(1, used / Math.max(limit, 1)) : 0
  const text = isLimited
    ? t('profile.spent', { used: number(used), limit: number(limit) })
    : t('profile.unlimited', { used: number(used) })
  const tone = part === 1 ? 'danger' : part >= HIGH ? 'warning' : undefined
  return (
    <div className="stack gap-1 key-spent" data-tone={tone}>
      <span className="row spread usage-text">
        <span className="hint">{label}</span>
        <span>{text}</span>
      </span>
      {isLimited && <Meter label={label} text={text} part={part} />}
    </div>
  )
}
