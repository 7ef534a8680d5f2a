import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { decrypt, encryptFile } from './ageFiles.ts'
import { backupKeys, identityOf, newPhrase, recipientOf, WrongPhrase } from './recoveryPhrase.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-phrase-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const ENCRYPTION_KEY = 'ab'.repeat(32)
const phrase = newPhrase()
const words = phrase.split(' ')
/** A phrase of the standard's test vectors. */
const KNOWN = [...Array<string>(23).fill('abandon'), 'art']
const at = (name: string) => path.join(folder, name)

describe('a recovery phrase', () => {
  it('has 24 words and opens what its public half has encrypted, in any case and with any spaces', async () => {
    expect(words).toHaveLength(24)
    const { recipients } = await backupKeys(await recipientOf(phrase), ENCRYPTION_KEY)
    const content = randomBytes(300_000)
    writeFileSync(at('plain'), content)
    await encryptFile(at('plain'), at('sealed'), recipients)
    expect(readFileSync(at('sealed')).includes(content.subarray(0, 32))).toBe(false)
    const typed = ` ${words.slice(0, 12).join('  ').toUpperCase()}\n${words.slice(12).join(' ')}\n`
    const { bytes } = await decrypt(
      createReadStream(at('sealed')),
      () => createWriteStream(at('opened')),
      identityOf(typed),
    )
    expect(bytes).toBe(content.length)
    expect(readFileSync(at('opened')).equals(content)).toBe(true)
  })

  it('is one of the standard', () => {
    expect(identityOf(KNOWN.join(' '))).toBe(
      'AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ8H00W3',
    )
  })

  it.each([
    ['an unknown word', [...words.slice(1), 'kinora'], 'Not words of a recovery phrase: kinora'],
    ['a missing word', words.slice(1), 'has 24 words, not 23'],
    ['another word', [...KNOWN.slice(0, 22), 'ability', 'art'], 'one is wrong'],
  ])('is refused with %s', (_, given, message) => {
    expect(() => identityOf(given.join(' '))).toThrow(WrongPhrase)
    expect(() => identityOf(given.join(' '))).toThrow(message)
  })

  it('opens nothing of another phrase, and nothing that was shortened or changed', async () => {
    const { recipients } = await backupKeys(await recipientOf(phrase), ENCRYPTION_KEY)
    writeFileSync(at('plain'), randomBytes(200_000))
    await encryptFile(at('plain'), at('whole'), recipients)
    const open = (file: string, by = phrase) =>
      decrypt(createReadStream(at(file)), () => createWriteStream(at('opened')), identityOf(by))
    await expect(open('whole', newPhrase())).rejects.toThrow('no identity matched')
    const whole = readFileSync(at('whole'))
    writeFileSync(at('short'), whole.subarray(0, whole.length - 66_000))
    await expect(open('short')).rejects.toThrow()
    whole[150_000]! ^= 1
    writeFileSync(at('changed'), whole)
    await expect(open('changed')).rejects.toThrow()
  })

  const lacks = spawnSync('age', ['--version']).status === 0 ? '' : ' (needs age, of the Debian package age)'
  it.skipIf(lacks)(`opens copies with the program age, without Kinora${lacks}`, async () => {
    const { recipients } = await backupKeys(await recipientOf(phrase), ENCRYPTION_KEY)
    writeFileSync(at('plain'), 'content')
    await encryptFile(at('plain'), at('sealed'), recipients)
    writeFileSync(at('identity'), identityOf(phrase))
    expect(String(execFileSync('age', ['--decrypt', '--identity', at('identity'), at('sealed')]))).toBe('content')
  })
})

describe('the keys of a server', () => {
  it('open copies for the drill, follow from ENCRYPTION_KEY, and have a folder of their own for each pair', async () => {
    const recipient = await recipientOf(phrase)
    const keys = await backupKeys(recipient, ENCRYPTION_KEY)
    expect(await backupKeys(recipient, ENCRYPTION_KEY)).toEqual(keys)
    writeFileSync(at('plain'), 'content')
    await encryptFile(at('plain'), at('sealed'), keys.recipients)
    await decrypt(createReadStream(at('sealed')), () => createWriteStream(at('opened')), keys.identity)
    expect(readFileSync(at('opened'), 'utf8')).toBe('content')
    const others = [
      await backupKeys(await recipientOf(newPhrase()), ENCRYPTION_KEY),
      await backupKeys(recipient, 'cd'.repeat(32)),
    ]
    expect(new Set([keys, ...others].map(({ folder }) => folder)).size).toBe(3)
  })
})
