/** Invisible characters by which a word would be split unseen. */
const INVISIBLE = /\p{Cf}/gu
const HAN = /\p{Script=Han}/u

/** Returns how words are compared: full-width forms and case do not matter. */
const plain = (text: string) => text.normalize('NFKC').replace(INVISIBLE, '').replace(/\s+/gu, ' ').trim().toLowerCase()

/**
 * Returns the first of the words that a text contains. A word with Chinese characters is found anywhere, because Chinese
 * has no spaces; others only as whole words.
 * @example blockedWordIn('A scunthorpe sunset', ['cunt']) // undefined
 */
export function blockedWordIn(text: string, words: readonly string[]): string | undefined {
  const prompt = plain(text)
  return words.find((word) => {
    const wanted = plain(word)
    if (!wanted) return false
    if (HAN.test(wanted)) return prompt.replace(/\s/gu, '').includes(wanted.replace(/\s/gu, ''))
    for (let at = prompt.indexOf(wanted); at >= 0; at = prompt.indexOf(wanted, at + 1))
      if (!isLetter(prompt[at - 1]) && !isLetter(prompt[at + wanted.length])) return true
    return false
  })
}

/** Chinese next to a Latin word is no part of it. */
const isLetter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character) && !HAN.test(character)
