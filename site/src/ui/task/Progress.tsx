import type { CSSProperties } from 'react'
import type { Step } from '../../api/taskProgress.ts'

interface ProgressProps {
  readonly label: string
  readonly state: string
  /** Null if it is not known. */
  readonly percent: number | null
  readonly steps: readonly Step[]
}

const part = (value: number) => ({ '--part': value }) as CSSProperties

/** A progress bar divided into steps. */
export function Progress({ label, state, percent, steps }: ProgressProps) {
  return (
    <div className="progress">
      <span>{state}</span>
      {percent !== null && <span className="muted">{percent}%</span>}
      <div
        className="progress-bar"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent ?? undefined}
        aria-valuetext={percent === null ? state : `${state}, ${percent}%`}
      >
        {steps.map((step) => (
          <span className="progress-step" data-state={step.state} key={step.name}>
            <span className="progress-fill" style={part(step.part)} />
          </span>
        ))}
      </div>
    </div>
  )
}
