import type { Schema } from './describedOperations.ts'

export type Random = () => number
export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!

/** Values of fields by name, such as ids, that answers contained. */
export type Known = ReadonlyMap<string, readonly unknown[]>

const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'a green hill',
    '一只猫',
    'naïve',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e\u2066',
    '\uffff',
    '\u200b',
  ],
  ...[
    '👩‍👩‍👧‍👦',
    'ﷺ',
    'e\u0301'.repeat(40),
    "' or 1=1 --",
    '{{7*7}}',
    '#{7*7}',
    '<script>alert(1)</script>',
    '../../etc/passwd',
  ],
  ...['%00', '%', '%ff', '\r\nSet-Cookie: a=b', 'null', 'undefined', 'NaN', '__proto__', 'constructor', 'toString'],
  ...['0000-01-01', '2026-02-30', '9999-12-31T23:59:59-23:59', '-1', '1e309', '999999999999999999999', '0x10'],
  ...[
    'http://169.254.169.254/',
    'file:///etc/passwd',
    '//evil.example',
    'a@b',
    'a@b.c',
    `${'a'.repeat(64)}@kinora.test`,
  ],
]
const NUMBERS = [0, -0, -1, 1, 2, 6, 10, 100, 101, 0.5, 1e21, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308]
const NESTED = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

/** Returns a value of any type, mostly one that programs handle badly. */
export function oddValue(random: Random): unknown {
  const kind = random()
  if (kind < 0.45) return pick(random, TEXTS)
  if (kind < 0.6) return pick(random, NUMBERS)
  if (kind < 0.7) return pick(random, [null, true, false, [], {}, [null], [[]], { a: 1 }])
  if (kind < 0.8) return { ['__proto__']: { admin: true }, length: 1e9, toString: 1, valueOf: null }
  if (kind < 0.9) return pick(random, ['x', '.', '{', '\\', 'é', '@']).repeat(Math.floor(random() * 4_000))
  return NESTED(1 + Math.floor(random() * 500))
}

/** Returns a value that a schema accepts, as far as the schema says. */
export function validValue(random: Random, name: string, schema: Schema, known: Known): unknown {
  const values = known.get(name)
  if (values && random() < 0.7) return pick(random, values)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return pick(random, schema.enum)
  if (schema.anyOf) return validValue(random, name, pick(random, schema.anyOf), known)
  if (schema.type === 'object') return validObject(random, schema, known)
  if (schema.type === 'array')
    return Array.from({ length: Math.floor(random() * 4) }, () => validValue(random, '', schema.items ?? {}, known))
  if (schema.type === 'boolean') return random() < 0.5
  if (schema.type === 'null') return null
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum = 0, maximum = 20 } = schema
    return Math.floor(minimum + random() * (Math.min(maximum, minimum + 20) - minimum + 1))
  }
  return validText(random, schema)
}

function validText(random: Random, { format, minLength = 0, maxLength = 60 }: Schema): string {
  if (format === 'uuid') return '0190a000-0000-7000-8000-000000000000'
  const text = pick(random, ['a green hill at dusk', '一只猫在山上', 'Ada Lovelace', '2026-11-20', '/works', 'Zoë'])
  return text.padEnd(minLength, 'x').slice(0, maxLength)
}

/** Returns an object with all required properties, and most of the others. */
export function validObject(random: Random, { properties = {}, required = [] }: Schema, known: Known) {
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random() < 0.7)
  return Object.fromEntries(chosen.map(([name, schema]) => [name, validValue(random, name, schema, known)]))
}

/** Returns the object with one fault: an odd value, a missing, unknown or repeated field, or another type altogether. */
export function withFault(random: Random, body: Record<string, unknown>): unknown {
  const kind = random()
  const name = pick(random, [...Object.keys(body), 'x'])
  if (kind < 0.6) return { ...body, [name]: oddValue(random) }
  if (kind < 0.75) return Object.fromEntries(Object.entries(body).filter(([other]) => other !== name))
  if (kind < 0.9) return { ...body, [String(pick(random, TEXTS))]: oddValue(random) }
  return oddValue(random)
}
