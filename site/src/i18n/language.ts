import { type Locale, localizedPath } from './core.ts'

const KEY = 'language'

/** Stores the chosen language. Returns false if storage is unavailable. */
export function rememberLanguage(language: Locale): boolean {
  try {
    localStorage.setItem(KEY, language)
    return localStorage.getItem(KEY) === language
  } catch {
    return false
  }
}

/** Returns the current page's URL path in a language, with its query and fragment. */
export const inLanguage = (at: Pick<Location, 'pathname' | 'search' | 'hash'>, language: Locale): string =>
  localizedPath(at.pathname, language) + at.search + at.hash

export interface SwitchPorts {
  /** Saves the language to the account, if a user is signed in. */
  readonly save: (language: Locale) => Promise<void>
  readonly remember: (language: Locale) => unknown
  readonly go: (language: Locale) => void
  /** Marks the language being switched to; undefined clears the mark. */
  readonly mark: (language: Locale | undefined) => void
  readonly failed: (error: unknown) => unknown
}

/**
 * Creates a language switch. It saves the language to the account before it opens the new page, which would otherwise
 * redirect to the old language. A failure changes nothing. The switch returns whether it succeeded.
 */
export function languageSwitch(ports: SwitchPorts) {
  let busy = false
  return async (language: Locale): Promise<boolean> => {
    if (busy) return false
    busy = true
    ports.mark(language)
    try {
      await ports.save(language)
      ports.remember(language)
      ports.go(language)
      return true
    } catch (error) {
      ports.failed(error)
      return false
    } finally {
      // Clear the mark on success too: the browser may restore this page from its back/forward cache.
      ports.mark(undefined)
      busy = false
    }
  }
}
