import { type ReactNode, useId } from 'react'

interface ChoicesProps<V extends string | number> {
  readonly label: string
  readonly value: V
  readonly options: readonly {
    readonly value: V
    readonly label: string
    readonly note?: ReactNode
    /** Why the option is unavailable; null or undefined if it is available. */
    readonly excluded?: string | null
    /** The reason in a word or two, which fit into the option. */
    readonly short?: string | null
  }[]
  readonly onChange: (value: V) => void
  readonly wide?: boolean
}

/** A radio group. Unavailable options stay visible with their reasons. */
export function Choices<V extends string | number>({ label, value, options, onChange, wide }: ChoicesProps<V>) {
  const id = useId()
  const reasons = [...new Set(options.flatMap((option) => option.excluded ?? []))]
  const areShort = options.every(({ excluded, short }) => !excluded || short)
  return (
    <fieldset className="stack field" aria-describedby={reasons.length > 0 ? `${id}-reasons` : undefined}>
      <legend className="label">{label}</legend>
      <div className={wide ? 'choices stack choices-wide' : 'choices stack'}>
        {options.map(({ note, ...option }) => (
          <label className="option choice" key={option.value} title={option.excluded ?? undefined}>
            <input
              type="radio"
              aria-labelledby={`${id}-${option.value}`}
              aria-describedby={note ? `${id}-${option.value}-note` : undefined}
              name={id}
              value={option.value}
              checked={option.value === value}
              disabled={Boolean(option.excluded)}
              onChange={() => onChange(option.value)}
            />
            <strong id={`${id}-${option.value}`}>{option.label}</strong>
            {option.short ? (
              <small className="hint" aria-hidden="true">
                {option.short}
              </small>
            ) : (
              note && (
                <small className="hint" id={`${id}-${option.value}-note`}>
                  {note}
                </small>
              )
            )}
          </label>
        ))}
      </div>
      {reasons.length > 0 && (
        <p className={areShort ? 'sr-only' : 'hint'} id={`${id}-reasons`}>
          {reasons.join(' · ')}
        </p>
      )}
    </fieldset>
  )
}
