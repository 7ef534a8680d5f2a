/**
 * Reads i18next JSON v4 catalogues: nested keys, {{variables}}, CLDR plurals (`key_one`, `key_other`).
 * The code runs during the build and in the browser.
 */
export const LOCALES = ['en', 'zh'] as const
export type Locale = (typeof LOCALES)[number]
export const DEFAULT_LOCALE: Locale = 'en'
export const HTML_LANG: Readonly<Record<Locale, string>> = { en: 'en', zh: 'zh-CN' }

export interface Messages {
  readonly [key: string]: string | Messages
}
export type Variables = Readonly<Record<string, string | number>>

/** Returns the locale for a language tag: `zh` for Chinese, English otherwise. */
export const localeOf = (tag: string | null | undefined): Locale =>
  tag?.toLowerCase().startsWith('zh') ? 'zh' : DEFAULT_LOCALE

/** Returns the text of a dotted key, or undefined if it is missing. */
export function lookup(messages: Messages, key: string): string | undefined {
  let node: string | Messages | undefined = messages
  for (const part of key.split('.')) {
    if (typeof node !== 'object' || !Object.hasOwn(node, part)) return undefined
    node = node[part]
  }
  return typeof node === 'string' ? node : undefined
}

/** Fills in the variables. Numbers are written as the language writes them; those that are names come as strings. */
const fill = (text: string, variables: Variables, locale: Locale) =>
  text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name]?.toLocaleString(HTML_LANG[locale]) ?? '') : whole,
  )

/** Creates the translator of a locale. A missing key is returned as is, so that gaps are visible. */
export function translator(messages: Messages, locale: Locale) {
  const plurals = new Intl.PluralRules(HTML_LANG[locale])
  const pluralOf = (key: string, count: number) =>
    lookup(messages, `${key}_${plurals.select(count)}`) ?? lookup(messages, `${key}_other`)
  return (key: string, variables: Variables = {}): string => {
    const plural = typeof variables.count === 'number' ? pluralOf(key, variables.count) : undefined
    return fill(plural ?? lookup(messages, key) ?? key, variables, locale)
  }
}

/** Merges `over` into a copy of `base`, so that a key missing from a translation keeps its English text. */
export function merge(base: Messages, over: Messages): Messages {
  const result: Record<string, string | Messages> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const below = result[key]
    result[key] = typeof value === 'object' && typeof below === 'object' ? merge(below, value) : value
  }
  return result
}

/** Returns a page's path in a language: `/…` in English, `/zh/…` in Chinese. */
export function localizedPath(path: string, locale: Locale): string {
  const bare = path.replace(/^\/zh(?=[/?#]|$)/, '') || '/'
  const rooted = bare.startsWith('/') ? bare : `/${bare}`
  if (locale === DEFAULT_LOCALE) return rooted
  return rooted.replace(/^\/(?=[?#]|$)/, '').replace(/^/, '/zh')
}
