import { type ReactNode, useId } from 'react'
import { Fault } from '../../../ui/Field.tsx'

interface BoxesProps {
  readonly label: string
  readonly hint?: string
  readonly fault?: string | undefined
  readonly onInput?: () => void
  readonly children: ReactNode
}

/** A group of checkboxes. */
export function Boxes({ label, hint, fault, onInput, children }: BoxesProps) {
  const id = useId()
  const note = fault ?? hint
  return (
    <fieldset className="stack gap-1 field" aria-describedby={note ? id : undefined} onInput={onInput}>
      <legend className="label">{label}</legend>
      {children}
      {fault && <Fault id={id} text={fault} />}
      {hint && !fault && (
        <p className="hint" id={id}>
          {hint}
        </p>
      )}
    </fieldset>
  )
}

interface BoxProps {
  readonly name: string
  readonly label: string
  readonly note?: string
  readonly isInvalid?: boolean
  readonly isChosen?: boolean
}

export const Box = ({ name, label, note, isInvalid, isChosen }: BoxProps) => (
  <label className="line key-box">
    <input type="checkbox" name={name} defaultChecked={isChosen} aria-invalid={isInvalid || undefined} />
    <span className="row">
      {label}
      {note && <code className="hint">{note}</code>}
    </span>
  </label>
)
