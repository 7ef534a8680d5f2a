import { dictionary } from '@zxcvbn-ts/language-common'
import { PASSWORD_MIN } from './contract.ts'

/** Some 49,000 passwords that leaked most often. */
const COMMON = new Set(dictionary['passwords-common'] as Iterable<string>)
const PRODUCT = 'kinora'
/** Shorter words are parts of too many others. */
const WORD_MIN = 3

const folded = (text: string) => text.normalize('NFKC').toLowerCase()

/** What anyone would try first: the product, and the words of the person's own name and address. */
function guessable({ email, username }: { email: string; username: string }): string[] {
  const words = [PRODUCT, email, username, ...`${email.split('@')[0]} ${username}`.split(/[^\p{L}\p{N}]+/u)].map(folded)
  return words.filter((word) => [...word].length >= WORD_MIN || /^\p{Script=Han}{2,}$/u.test(word))
}

/** Why nobody should have this password, as a rule's code. Words that anyone would guess do not count for its length. */
export function passwordWeakness(
  password: string,
  owner: { email: string; username: string },
): 'password_common' | 'password_personal' | undefined {
  const text = folded(password)
  if (COMMON.has(text)) return 'password_common'
  const words = guessable(owner).sort((a, b) => b.length - a.length)
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), text)
  if (rest === text) return undefined
  return COMMON.has(rest) || [...rest].length < PASSWORD_MIN ? 'password_personal' : undefined
}
