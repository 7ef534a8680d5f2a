export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type Values = Readonly<Record<string, Json | undefined>>
type Fields = { readonly [key: string]: Json }

const REFERENCE = /\{([A-Za-z]\w*)\}/g
const WHOLE = /^\{([A-Za-z]\w*)\}$/

/**
 * Fills a JSON template. `"{name}"` becomes the value with its type, and `"… {name} …"` becomes text. A reference
 * without a value is left out, with every object and list in which no reference has a value. Four forms choose:
 * `{"$first": […]}` the first part that has a value, `{"$if": "{name}", "yes", "no"}` by whether the value is there
 * and not false, `{"$map": "text with {name}", "to": {…}}` by the text, and `{"$each": "{list}", "as": …}` repeats its
 * part for each `{item}`.
 * @returns undefined if the whole template is left out
 */
export function fill(template: Json, values: Values): Json | undefined {
  if (typeof template === 'string') return fillText(template, values)
  if (template === null || typeof template !== 'object') return template
  if (Array.isArray(template)) {
    const parts = template.flatMap((part: Json) => (isEach(part) ? fillEach(part, values) : [fill(part, values)]))
    const present = parts.filter((part) => part !== undefined)
    return present.length > 0 || template.length === 0 ? present : undefined
  }
  return fillObject(template as Fields, values)
}

function fillText(text: string, values: Values): Json | undefined {
  const [, whole] = WHOLE.exec(text) ?? []
  if (whole !== undefined) return values[whole]
  const names = referencesOf(text)
  if (names.some((name) => values[name] === undefined)) return undefined
  return text.replace(REFERENCE, (_, name: string) => String(values[name]))
}

function fillObject(template: Fields, values: Values): Json | undefined {
  if ('$first' in template)
    return asList(template.$first)
      .map((part) => fill(part, values))
      .find(isPresent)
  if ('$if' in template) {
    const condition = fill(template.$if ?? null, values)
    const branch = condition === undefined || condition === false ? template.no : template.yes
    return branch === undefined ? undefined : fill(branch, values)
  }
  if ('$map' in template) {
    const key = fill(template.$map ?? null, values)
    const to = new Map(Object.entries(template.to as Fields))
    const part = to.get(String(key))
    return part === undefined ? undefined : fill(part, values)
  }
  const filled = Object.entries(template).map(([key, part]) => [key, part, fill(part, values)] as const)
  const dependent = filled.filter(([, part]) => referencesOf(part).length > 0)
  if (dependent.length > 0 && dependent.every(([, , value]) => value === undefined)) return undefined
  return Object.fromEntries(filled.flatMap(([key, , value]) => (value === undefined ? [] : [[key, value]])))
}

const isPresent = (value: Json | undefined) => value !== undefined
const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const isEach = (part: Json): part is Fields => typeof part === 'object' && part !== null && '$each' in part

function fillEach({ $each = null, as = null }: Fields, values: Values): (Json | undefined)[] {
  return asList(fill($each, values)).map((item) => fill(as, { ...values, item }))
}

/** Returns the names that a template refers to, in order and with repetitions. */
export function referencesOf(template: Json): string[] {
  if (typeof template === 'string') return [...template.matchAll(REFERENCE)].map(([, name = '']) => name)
  if (template === null || typeof template !== 'object') return []
  return Object.values(template as Fields).flatMap(referencesOf)
}

const FORMS: Readonly<Record<string, readonly string[]>> = {
  $first: [],
  $if: ['yes', 'no'],
  $map: ['to'],
  $each: ['as'],
}

/** Returns what is wrong with a template: unknown forms and their missing parts. */
export function templateFaults(template: Json): string[] {
  if (template === null || typeof template !== 'object') return []
  const nested = Object.values(template as Fields).flatMap(templateFaults)
  if (Array.isArray(template)) return nested
  const form = Object.keys(template).find((key) => key.startsWith('$'))
  if (form === undefined) return nested
  const parts = FORMS[form]
  if (!parts) return [`${form} is not one of ${Object.keys(FORMS).join(', ')}`, ...nested]
  const unknown = Object.keys(template).filter((key) => key !== form && !parts.includes(key))
  const required = form === '$if' ? [] : parts
  return [
    ...unknown.map((key) => `${form} has no part named ${key}`),
    ...required.filter((part) => !(part in template)).map((part) => `${form} lacks its part named ${part}`),
    ...nested,
  ]
}
