import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { PASSWORD_MIN } from '../contract.ts'

/** About 49,000 of the most frequently leaked passwords. */
const COMMON = new Set(dictionary['passwords-common'] as Iterable<string>)
const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
/** The estimator takes up to 17 ms for 32 characters, and more than a second for 256. */
const ESTIMATED_LENGTH = 32
const PRODUCT = 'kinora'
/** Minimum length of a guessable word, in code points. Shorter words occur in too many others. */
const WORD_MIN = 3

const folded = (text: string) => text.normalize('NFKC').toLowerCase()

/** Returns words that an attacker tries first: the product name and parts of the user's name and address. */
function guessable({ email, username }: { email: string; username: string }): string[] {
  const words = [PRODUCT, email, username, ...`${email.split('@')[0]} ${username}`.split(/[^\p{L}\p{N}]+/u)].map(folded)
  return words.filter((word) => [...word].length >= WORD_MIN || /^\p{Script=Han}{2,}$/u.test(word))
}

/** Returns an error code if a password is weak; undefined if not. Guessable words do not count towards its length. */
export function passwordWeakness(password: string, owner: { email: string; username: string }) {
  const text = folded(password)
  if (COMMON.has(text)) return 'password_common'
  const words = guessable(owner).sort((a, b) => b.length - a.length)
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), text)
  if (rest !== text && (COMMON.has(rest) || [...rest].length < PASSWORD_MIN)) return 'password_personal'
  return estimator.check(text.slice(0, ESTIMATED_LENGTH)).score < 1 ? 'password_guessable' : undefined
}
