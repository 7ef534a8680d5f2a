export type Strength = 'weak' | 'fair' | 'strong'

const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /\p{Lo}/u, /[^\p{L}\p{N}]/u]

/**
 * Estimates the strength of a password from its distinct characters and character classes. The estimate only guides
 * the user; the server decides which passwords are too weak.
 */
export function passwordStrength(password: string): Strength {
  const characters = [...password.normalize('NFKC')]
  if (characters.length < 8) return 'weak'
  const different = new Set(characters.map((each) => each.toLowerCase())).size
  const kinds = KINDS.filter((kind) => kind.test(password)).length
  const score = different + Math.min(characters.length, 20) / 2 + kinds
  if (different < 5 || score < 13) return 'weak'
  return score < 19 ? 'fair' : 'strong'
}
