import { describe, expect, it } from 'vitest'
import { hashPassword, passwordMatches, unusablePassword } from './passwords.ts'

const HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/

describe('a password', () => {
  it('is hashed with Argon2id and its own salt, in the PHC string format', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(one).toMatch(HASH)
    expect(one).not.toBe(two)
  })
  it('matches its own hash and no other', async () => {
    const hash = await hashPassword('correct horse')
    const matches = ['correct horse', 'Correct horse', 'correct horse ', ''].map((text) => passwordMatches(text, hash))
    expect(await Promise.all(matches)).toEqual([true, false, false, false])
  })
  it('matches in every Unicode form', async () => {
    const hash = await hashPassword('caf\u00e9 \ufb01ne \uff11')
    expect(await passwordMatches('cafe\u0301 fine 1', hash)).toBe(true)
  })
  it('is compared with the parameters of its hash', async () => {
    // A test vector of the reference implementation.
    const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    const again = known.replace('t=2', 't=3')
    expect([await passwordMatches('password', known), await passwordMatches('password', again)]).toEqual([true, false])
  })
  it.each(['', 'secret', '$argon2i$v=19$m=64,t=2,p=1$c29tZXNhbHQ$AAAA', '$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ$'])(
    'does not match an invalid hash: %j',
    async (hash) => {
      expect(await passwordMatches('password', hash)).toBe(false)
    },
  )
  it('that is unusable has the form of every hash, so that comparing with it takes as long', async () => {
    expect([unusablePassword(), unusablePassword()]).toEqual([expect.stringMatching(HASH), expect.stringMatching(HASH)])
    expect(await passwordMatches('', unusablePassword())).toBe(false)
  })
})
