/** What islands and scripts use of the translations: the catalogues while rendering at build time, the page's own in the browser. */
import { catalogues } from './catalogue.ts'
import { type Locale, localeOf, localizedPath, lookup, type Messages, translator } from './core.ts'
import type { Translate } from './keys.ts'

const known = new Map<Locale, Translate>()

function messagesOf(locale: Locale): Messages {
  if (import.meta.env.SSR) return catalogues[locale]
  return JSON.parse(document.getElementById('messages')?.textContent ?? '{}') as Messages
}

/** The language of the page in the browser. */
export const pageLocale = (): Locale =>
  localeOf(typeof document === 'undefined' ? undefined : document.documentElement.lang)

/** The translator of a language; in the browser there is only the page's. */
export function translate(locale: Locale = pageLocale()): Translate {
  let t = known.get(locale)
  if (!t) {
    t = translator(messagesOf(locale), locale)
    known.set(locale, t)
  }
  return t
}

let embedded: Messages | undefined
/** The text under a key that is only known at run time, such as an error's code. */
export function textAt(key: string): string | undefined {
  embedded ??= messagesOf(pageLocale())
  return lookup(embedded, key)
}

/** An address in the page's language. */
export const localHref = (path: string): string => localizedPath(path, pageLocale())
