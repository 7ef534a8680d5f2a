import type { Json } from './template.ts'

/** Returns the value at a path such as `output.0.url`, or undefined. Null counts as absent. */
export function readPath(value: Json | undefined, path: string): Json | undefined {
  let current: unknown = value
  for (const name of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return (current ?? undefined) as Json | undefined
}

/** Returns the text or number at a path as text. */
export function readText(value: Json | undefined, path: string): string | undefined {
  const found = readPath(value, path)
  return (typeof found === 'string' && found !== '') || typeof found === 'number' ? String(found) : undefined
}

/** Returns the number at a path, also if it is written as text. */
export function readNumber(value: Json | undefined, path: string): number | undefined {
  const text = readText(value, path)
  const number = text === undefined ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}
