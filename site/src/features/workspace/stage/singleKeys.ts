/** Whether shortcuts of one key work. They can be switched off (WCAG 2.1.4). */
import { atom } from 'nanostores'

const KEY = 'kinora.keys'

export const $singleKeys = atom(true)

export function setSingleKeys(on: boolean): void {
  $singleKeys.set(on)
  try {
    localStorage.setItem(KEY, on ? '' : 'off')
  } catch {
    // Storage is unavailable: the choice is lost when the page closes.
  }
}

export function restoreSingleKeys(): void {
  try {
    $singleKeys.set(localStorage.getItem(KEY) !== 'off')
  } catch {
    // Storage is unavailable.
  }
}
