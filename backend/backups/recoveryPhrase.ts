import { createHash, hkdfSync } from 'node:crypto'
import { bech32 } from '@scure/base'
import { generateMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { identityToRecipient } from 'age-encryption'

/** The phrase has an unknown word, or its checksum is wrong. */
export class WrongPhrase extends Error {
  override name = 'WrongPhrase'
}

/** Keys that a copy is encrypted to, in age's notation: `age1…`. */
export interface Recipients {
  /** Public half of the recovery phrase. */
  readonly phrase: string
  /** Public half of the key that proves copies. */
  readonly drill: string
}

/** Creates a recovery phrase: 24 words, which are 256 random bits and a checksum (BIP 39). */
export const newPhrase = (): string => generateMnemonic(wordlist, 256)

/**
 * Returns a phrase's secret key in age's notation, `AGE-SECRET-KEY-1…`. Upper case and extra spaces are accepted.
 * @throws WrongPhrase naming the words that are not in the list
 */
export function identityOf(phrase: string): string {
  const words = phrase.trim().toLowerCase().split(/\s+/)
  const unknown = words.filter((word) => !wordlist.includes(word))
  if (unknown.length > 0) throw new WrongPhrase(`Not words of a recovery phrase: ${unknown.slice(0, 3).join(', ')}`)
  if (words.length !== 24) throw new WrongPhrase(`A recovery phrase has 24 words, not ${words.length}`)
  try {
    return identityFrom(mnemonicToEntropy(words.join(' '), wordlist))
  } catch {
    throw new WrongPhrase('The words are not a recovery phrase: one is wrong, or two are swapped')
  }
}

export const recipientOf = (phrase: string): Promise<string> => identityToRecipient(identityOf(phrase))

/** What the server needs to take copies and to prove them. */
export interface BackupKeys {
  readonly recipients: Recipients
  /** Opens copies for the drill. */
  readonly identity: string
  /** Key of the names of objects, which reveal no content without it. */
  readonly naming: Uint8Array
  /** Folder of the copies that are encrypted to these keys. */
  readonly folder: string
}

/**
 * Returns the keys that follow from the public half of the phrase and `ENCRYPTION_KEY`; see
 * docs/decisions/0041-encrypted-copies.md.
 */
export async function backupKeys(phrase: string, encryptionKey: string): Promise<BackupKeys> {
  const derived = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', Buffer.from(encryptionKey, 'hex'), '', `kinora backup ${purpose}`, 32))
  const identity = identityFrom(derived('drill'))
  const recipients = { phrase, drill: await identityToRecipient(identity) }
  const folder = createHash('sha256').update(`${recipients.phrase} ${recipients.drill}`).digest('hex').slice(0, 16)
  return { recipients, identity, naming: derived('names'), folder }
}

const identityFrom = (key: Uint8Array) => bech32.encodeFromBytes('AGE-SECRET-KEY-', key).toUpperCase()
