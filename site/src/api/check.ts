import * as z from 'zod/mini'

// Zod's compiled checks need `eval`, which the content security policy forbids and reports.
z.config({ jitless: true })

/** The first error code of each invalid field, by field name. Nested fields are named by their path, such as `banner.en`. */
export type Faults = Readonly<Record<string, string>>

export type Checked<V> = { readonly ok: true; readonly value: V } | { readonly ok: false; readonly faults: Faults }

/** Returns the name of the field that holds a value. A list is one field. */
function fieldOf(path: readonly PropertyKey[]): string {
  const item = path.findIndex((part) => typeof part === 'number')
  return path.slice(0, item < 0 ? undefined : item).join('.')
}

/** Validates a form's values with a contract's schema. */
export function check<S extends z.ZodMiniType>(schema: S, values: unknown): Checked<z.output<S>> {
  const read = z.safeParse(schema, values)
  if (read.success) return { ok: true, value: read.data }
  const faults: Record<string, string> = {}
  for (const issue of read.error.issues) faults[fieldOf(issue.path)] ??= issue.message
  return { ok: false, faults }
}
