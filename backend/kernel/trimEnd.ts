/**
 * Removes all trailing characters that are in a set. A regular expression such as `/\/+$/` takes quadratic time.
 * @example trimEnd('https://kinora.example//', '/') // 'https://kinora.example'
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
