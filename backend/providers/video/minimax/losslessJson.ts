type Context = { readonly source?: string }
type Reviver = (key: string, value: unknown, context: Context) => unknown

/** Reads JSON; whole numbers that a double cannot hold become text with all their digits. @throws SyntaxError */
export function parseLossless(text: string): unknown {
  const keepDigits: Reviver = (_, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '') ? source : value
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1])
}
