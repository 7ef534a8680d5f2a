/** Translations for islands and scripts: all catalogues during the build, the page's embedded texts in the browser. */
import { catalogues } from './catalogue.ts'
import { type Locale, localeOf, localizedPath, lookup, type Messages, translator } from './core.ts'
import type { Translate } from './keys.ts'

const known = new Map<Locale, Translate>()

let embedded: Messages | undefined
/** Returns the texts of the page, which others can be added to. During the build, those of a language. */
export function messagesOf(locale: Locale): Messages {
  if (import.meta.env.SSR) return catalogues[locale]
  embedded ??= JSON.parse(document.getElementById('messages')?.textContent ?? '{}') as Messages
  return embedded
}

/** Returns the page's language. During the build, returns the default. */
export const pageLocale = (): Locale =>
  localeOf(typeof document === 'undefined' ? undefined : document.documentElement.lang)

/** Returns the translator for a language. The browser has only the texts of the page's language. */
export function translate(locale: Locale = pageLocale()): Translate {
  let t = known.get(locale)
  if (!t) {
    t = translator(messagesOf(locale), locale)
    known.set(locale, t)
  }
  return t
}

/** Returns the text of a key known only at run time, such as an error code; undefined if it is missing. */
export const textAt = (key: string): string | undefined => lookup(messagesOf(pageLocale()), key)

/** Returns a path in the page's language. */
export const localHref = (path: string): string => localizedPath(path, pageLocale())
