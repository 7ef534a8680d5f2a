import * as z from 'zod/mini'

// Compiled checks need `eval`, which the page's policy forbids; trying it would be reported as a violation.
z.config({ jitless: true })

/** Codes by field: the first fault of each. */
export type Faults = Readonly<Record<string, string>>

export type Checked<V> = { readonly ok: true; readonly value: V } | { readonly ok: false; readonly faults: Faults }

/** Checks a form's values by a contract's schema. */
export function check<S extends z.ZodMiniType>(schema: S, values: unknown): Checked<z.output<S>> {
  const read = z.safeParse(schema, values)
  if (read.success) return { ok: true, value: read.data }
  const faults: Record<string, string> = {}
  for (const issue of read.error.issues) faults[String(issue.path[0])] ??= issue.message
  return { ok: false, faults }
}
