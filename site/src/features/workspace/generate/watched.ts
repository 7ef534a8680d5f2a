import { atom, computed } from 'nanostores'
import { isWide } from '../../../ui/useWide.ts'
import { $current, $takes } from '../stage/takes.ts'

const $id = atom<string | null>(null)

/** The task whose progress replaces the button on phones, until the user returns to the form. */
export const $watched = computed([$takes, $id], (takes, id) => takes.find((task) => task.id === id) ?? null)

export const stopWatching = (): void => $id.set(null)

/** Shows the progress of the take on the stage instead of the form, where both do not fit. */
export function watchCurrent(): void {
  $id.set($current.get()?.id ?? null)
  if (isWide()) return
  const stage = document.getElementById('stage')
  stage?.focus({ preventScroll: true })
  stage?.scrollIntoView({ block: 'start' })
}
