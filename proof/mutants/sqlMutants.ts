import type { Mutant } from './generateMutants.ts'

/** What each mutant of the append function replaces, and by what. Planner settings and hints are not mutated. */
const SQL_CHANGES: readonly (readonly [RegExp, string])[] = [
  [/ = /g, ' <> '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ [+-] [\w.]+/g, ''],
  [/\bmax\(/g, 'min('],
  [/ is distinct from /g, ' is not distinct from '],
  [/ is null\b/g, ' is not null'],
  [/\bnot /g, ''],
  [/ desc\b/g, ''],
  [/, -1\)/g, ', 0)'],
  [/, 0\)/g, ', 1)'],
  [/\belse 0\b/g, 'else 1'],
  [/\bn\.i = 1\b/g, 'n.i = 2'],
  [/ limit 1\b/g, ''],
  [/, false\)/g, ', true)'],
  [/coalesce\((max\(e\.position\)), 0\)/g, '$1'],
  [/coalesce\((\(select [^)]*\)), -1\)/g, '$1'],
  [/coalesce\((bool_or\([^)]*\)), false\)/g, '$1'],
  // Conditions of the comparison with earlier events, each dropped.
  [/requested\.expected is distinct from requested\.current\s+and /g, ''],
  [/e\.stream = requested\.stream and /g, ''],
  [/ and \(requested\.expected is null or e\.revision = requested\.expected \+ n\.i\)/g, ''],
  [/requested\.expected is null or /g, ''],
  [/ or e\.revision = requested\.expected \+ n\.i/g, ''],
  // The decision and its results, each side alone.
  [/case when expected is null then (not first_known) else expected = current end/g, '$1'],
  [/case when expected is null then not first_known else (expected = current) end/g, '$1'],
  [/known = size as/g, 'true as'],
  [/known = size as/g, 'false as'],
  [/case when fresh then size else 0 end/g, 'size'],
  [/\(order by ordinal\)/g, '()'],
  [/ order by p\.ordinal/g, ' order by p.ordinal desc'],
  [/where p\.fresh/g, ''],
  [/p\.fresh or p\.repeated/g, 'p.fresh'],
  [/p\.fresh or p\.repeated/g, 'p.repeated'],
  [/when p\.fresh then /g, 'when p.repeated then '],
  [/ when p\.repeated then p\.last_\w+/g, ''],
  [/ else p\.current end/g, ' end'],
  [/perform [^;]*;/g, ''],
  [/n\.body->'data', n\.body->'meta'/g, "n.body->'meta', n.body->'data'"],
  [/clock_timestamp\(\)/g, "'epoch'"],
]

/** Returns the mutants of the append function in the SQL of the Postgres event store. */
export function sqlMutants(file: string, text: string): Mutant[] {
  const from = text.indexOf('const appendSet = ')
  const body = text.slice(from, text.indexOf('end $$', from))
  const comments = [...body.matchAll(/--.*/g)].map(({ index, 0: { length } }) => [index, index + length] as const)
  return SQL_CHANGES.flatMap(([pattern, replacement]) =>
    [...body.matchAll(pattern)]
      .filter(({ index }) => !comments.some(([start, end]) => index >= start && index < end))
      .map((match) => {
        const start = from + match.index
        const line = text.slice(0, start).split('\n').length
        return {
          file,
          line,
          start,
          end: start + match[0].length,
          replacement: replacement.replace('$1', match[1] ?? ''),
        }
      }),
  )
}
