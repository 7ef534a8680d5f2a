/**
 * Returns the files that a paste brings to the form. There are none if it brings text to a text field: Excel and Word add a
 * picture of what was copied.
 */
export function pastedFiles({ target, clipboardData }: ClipboardEvent): FileList | undefined {
  const isTyping = target instanceof Element && target.closest(':read-write') !== null
  if (isTyping && clipboardData?.types.includes('text/plain')) return undefined
  return clipboardData?.files
}
