import { chooseMovements } from '../promptBox.ts'

/** Shows the chosen movements below the rig and, at a click, above the prompt. */
export function showMovements(section: HTMLElement): void {
  const form = document.getElementById('start')
  const shown = section.querySelector<HTMLElement>('[data-chosen]')
  const chips = () =>
    [...section.querySelectorAll('[aria-pressed=true] strong')].map((name) =>
      Object.assign(document.createElement('span'), { className: 'start-chip small', textContent: name.textContent }),
    )
  section.addEventListener('choose', () => {
    const chosen = chips()
    shown?.replaceChildren(...(chosen.length > 0 ? chosen : [shown.dataset.none ?? '']))
  })
  section.querySelector('[data-use-camera]')?.addEventListener('click', () => {
    const values = [...section.querySelectorAll<HTMLElement>('[aria-pressed=true]')].map(
      ({ dataset }) => dataset.movement,
    )
    if (!form) return
    chooseMovements(
      form,
      values.join(','),
      chips().map(({ textContent }) => textContent),
    )
    form.querySelector('textarea')?.focus()
  })
}
