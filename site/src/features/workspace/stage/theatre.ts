import { atom } from 'nanostores'

const KEY = 'kinora.theatre'

/** Whether wide screens give the film their whole width, with the form below it. Kept in this browser. */
export const $theatre = atom(false)

export function setTheatre(on: boolean): void {
  $theatre.set(on)
  try {
    localStorage.setItem(KEY, on ? '1' : '')
  } catch {
    // Storage is unavailable: the choice is lost when the page closes.
  }
}

export function restoreTheatre(): void {
  try {
    $theatre.set(localStorage.getItem(KEY) === '1')
  } catch {
    // Storage is unavailable.
  }
}
