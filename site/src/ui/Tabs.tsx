import { type KeyboardEvent, type ReactNode, useId } from 'react'

interface TabsProps<V extends string> {
  readonly label: string
  readonly value: V
  readonly options: readonly { readonly value: V; readonly label: string }[]
  readonly onChange: (value: V) => void
  readonly children: ReactNode
}

const TO: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Tabs that share one panel, without a list if there is one. Arrow keys select a tab, as the ARIA Authoring Practices recommend. */
export function Tabs<V extends string>({ label, value, options, onChange, children }: TabsProps<V>) {
  const id = useId()
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const move = TO[event.key]
    if (!move) return
    event.preventDefault()
    const at = options.findIndex((option) => option.value === value)
    const next = options[move(at, options.length)]
    if (!next) return
    onChange(next.value)
    event.currentTarget.querySelector<HTMLElement>(`[data-value="${next.value}"]`)?.focus()
  }
  if (options.length === 1) return <div className="stack stack-wide tab-panel min-0">{children}</div>
  return (
    <>
      <div className="tabs stack gap-1" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {options.map((option) => (
          <button
            key={option.value}
            type="button"
            role="tab"
            className="tab muted"
            id={`${id}-${option.value}`}
            data-value={option.value}
            aria-selected={option.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={option.value === value ? 0 : -1}
            onClick={() => onChange(option.value)}
          >
            {option.label}
          </button>
        ))}
      </div>
      <div
        className="stack stack-wide tab-panel min-0"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
      >
        {children}
      </div>
    </>
  )
}
