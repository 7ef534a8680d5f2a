interface Place {
  readonly list: Element
  readonly row: number
  /** Negative index among the row's controls: rows differ in their first ones. */
  readonly control: number
  readonly heading: HTMLElement | null
}

const places = new WeakMap<Element, Place>()

const controlsOf = (row: Element | undefined): readonly HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>(':is(a[href], button, input):not(:disabled, [tabindex="-1"], [inert])') ?? []),
]

function placeOf(list: Element, control: HTMLElement): Place {
  const row = [...list.children].findIndex((child) => child.contains(control))
  const controls = controlsOf(list.children[row])
  const heading =
    list.closest('section, .card, dialog')?.querySelector<HTMLElement>('h2, h3') ?? document.querySelector('h1')
  return { list, row, control: controls.indexOf(control) - controls.length, heading }
}

/**
 * Focuses a control. If its row is deleted, focuses the same control of the next row, else of the previous one, else the
 * heading of the list (WCAG 2.4.3).
 */
export function restoreFocus(control: HTMLElement): void {
  const place = places.get(control)
  if (control.isConnected || !place) {
    control.focus()
    return
  }
  const rows = place.list.isConnected ? [...place.list.children] : []
  const nearest = [...rows.slice(place.row), ...rows.slice(0, place.row).reverse()].map(controlsOf)
  const controls = nearest.find(({ length }) => length > 0) ?? []
  place.heading?.setAttribute('tabindex', '-1')
  const target = controls.at(place.control) ?? controls.at(-1) ?? place.heading
  target?.focus()
}

/** Remembers where the controls of a list are, for `restoreFocus`. Returns a function that ends this. */
export function rememberFocus(list: HTMLElement, onFocus?: (control: HTMLElement) => void): () => void {
  const remember = ({ target }: FocusEvent) => {
    const control = target as HTMLElement
    places.set(control, placeOf(list, control))
    onFocus?.(control)
  }
  list.addEventListener('focusin', remember)
  return () => list.removeEventListener('focusin', remember)
}

/** Restores the focus that the element, or a row of it, takes with it. To be used as the `ref` of a list or a notice. */
export function keepFocus(list: HTMLElement | null): (() => void) | undefined {
  if (!list) return undefined
  let last: HTMLElement | undefined
  const check = () => {
    if (!last || last.isConnected || document.activeElement !== document.body) return
    const lost = last
    last = undefined
    restoreFocus(lost)
  }
  const observer = new MutationObserver(check)
  observer.observe(list, { childList: true, subtree: true })
  const forget = rememberFocus(list, (control) => {
    last = control
  })
  return () => {
    observer.disconnect()
    forget()
    // React removes the list after this.
    queueMicrotask(check)
  }
}
