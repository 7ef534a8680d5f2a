import { atom } from 'nanostores'

/** Id of the take that was chosen last. */
export const $chosen = atom<string | null>(null)

export const showTake = (id: string): void => $chosen.set(id)
