type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Parses JSON. Returns integers outside the safe integer range as strings, with all digits. @throws SyntaxError */
export function parseLosslessJson(text: string): unknown {
  const keepDigits: Reviver = (_, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '') ? source : value
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1])
}
