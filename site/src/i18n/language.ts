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
 * redirect to the old language. The latest choice counts. A failure changes nothing. The switch returns whether it
 * succeeded.
 */
export function languageSwitch(ports: SwitchPorts) {
  let wanted: Locale
  let running: Promise<boolean> | undefined

  const run = async (): Promise<boolean> => {
    let language: Locale
    let failure: { readonly error: unknown } | undefined
    do {
      language = wanted
      failure = await ports.save(language).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
    } while (language !== wanted)
    if (failure) ports.failed(failure.error)
    else {
      ports.remember(language)
      ports.go(language)
    }
    // Clear the mark on success too: the browser may restore this page from its back/forward cache.
    ports.mark(undefined)
    return !failure
  }
  return (language: Locale): Promise<boolean> => {
    wanted = language
    ports.mark(language)
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
