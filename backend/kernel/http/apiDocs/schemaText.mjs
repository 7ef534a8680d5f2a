/** Formats a JSON Schema as a type, such as `{ id: string, note?: string | null }`. */
export function typeText(schema, indent = '') {
  if (!schema || Object.keys(schema).length === 0) return 'any'
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map((choice) => typeText(choice, indent)))].join(' | ')
  if (schema.type === 'array') return `${typeText(schema.items, indent)}[]`
  if (schema.type === 'object') return objectText(schema, indent)
  return bounded(schema)
}

function objectText({ properties = {}, required = [], additionalProperties }, indent) {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, schema]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeText(schema, inner)}`,
  )
  if (typeof additionalProperties === 'object') lines.push(`${inner}[name]: ${typeText(additionalProperties, inner)}`)
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

const LIMITS = { minLength: 'from', maxLength: 'to', minimum: '≥', maximum: '≤', format: '', pattern: 'like' }

function bounded(schema) {
  const type = [schema.type ?? 'any'].flat().join(' | ')
  const limits = Object.entries(LIMITS)
    // Omit the safe-integer bounds that Zod adds.
    .filter(([key]) => schema[key] !== undefined && Math.abs(Number(schema[key])) !== Number.MAX_SAFE_INTEGER)
    .map(([key, word]) => `${word} ${schema[key]}`.trim())
  return limits.length === 0 ? type : `${type} (${limits.join(', ')})`
}

/** Returns an example value for a schema, with required fields only. */
export function exampleOf(schema) {
  if (!schema) return null
  if ('default' in schema) return schema.default
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return exampleOf(choices[0])
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([name]) => schema.required?.includes(name))
        .map(([name, each]) => [name, exampleOf(each)]),
    )
  if (schema.type === 'array') return []
  if (schema.type === 'boolean') return false
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 0, 0)
  return ''
}
