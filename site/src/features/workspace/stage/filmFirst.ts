import { readHint, writeHint } from '../../../api/hint.ts'
import { $tasks } from '../tasks.ts'

/**
 * Returns whether narrow screens show the film above the form: when the user had films as the page loaded. It stays so
 * while the page is open, because a form that moves is hard to use.
 */
export const isFilmFirst = (): boolean => document.documentElement.dataset.hint === 'films'

/** Remembers for the next page whether the user has films. */
export function rememberFilms(): void {
  $tasks.listen(({ status, tasks }) => {
    const hint = readHint()
    const hasFilms = tasks.length > 0
    if (status === 'ready' && hint && hint.hasFilms !== hasFilms) writeHint({ ...hint, hasFilms })
  })
}
