interface SwitchFieldProps {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly on: boolean
  readonly disabled?: boolean
  readonly onChange: (on: boolean) => void
}

/** A switch with its label and what it does. */
export function SwitchField({ id, label, hint, on, disabled = false, onChange }: SwitchFieldProps) {
  return (
    <label className="line switch">
      <span>
        <span className="label">{label}</span>
        <span className="hint switch-hint" id={`${id}-hint`}>
          {hint}
        </span>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={on}
        aria-describedby={`${id}-hint`}
        checked={on}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  )
}
