/**
 * Returns a value that an invariant guarantees.
 * @throws Error it is missing
 * @example const port = must(parentPort, 'parent port')
 */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`no ${what}`)
  return value
}
