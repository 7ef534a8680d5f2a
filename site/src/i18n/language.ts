/** The reader's choice of language: kept in the browser, and part of the address. */
import { type Locale, localizedPath } from './core.ts'

const KEY = 'language'

/** Keeps the choice; false where the browser keeps nothing. */
export function rememberLanguage(language: Locale): boolean {
  try {
    localStorage.setItem(KEY, language)
    return localStorage.getItem(KEY) === language
  } catch {
    // The address alone then carries the language.
    return false
  }
}

/** The address of the page at hand in a language, its query and anchor kept. */
export const inLanguage = (at: Pick<Location, 'pathname' | 'search' | 'hash'>, language: Locale): string =>
  localizedPath(at.pathname, language) + at.search + at.hash

/** What a switch of the language needs of its surroundings. */
export interface SwitchPorts {
  /** Keeps the language on the account, if somebody is signed in. */
  readonly save: (language: Locale) => Promise<void>
  readonly remember: (language: Locale) => unknown
  readonly go: (language: Locale) => void
  /** Marks the language that is being switched to, or none. */
  readonly mark: (language: Locale | undefined) => void
  readonly failed: (error: unknown) => unknown
}

/**
 * Makes a switch that leaves the page only once the account knows: the next page asks who is signed in, and would come
 * back to a language that was not saved. After a failure everything is as before.
 */
export function languageSwitch(ports: SwitchPorts) {
  let busy = false
  return async (language: Locale): Promise<void> => {
    if (busy) return
    busy = true
    ports.mark(language)
    try {
      await ports.save(language)
      ports.remember(language)
      ports.go(language)
    } catch (error) {
      ports.failed(error)
    } finally {
      // Also on the way out: the browser may show this page again as it was left.
      ports.mark(undefined)
      busy = false
    }
  }
}
