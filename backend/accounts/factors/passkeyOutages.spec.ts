import { expect, it } from 'vitest'
import type { Challenges } from './challenges.ts'
import { createPasskeys } from './passkeys.ts'

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Checks an answer to a challenge that the database is asked about. */
function verify(accept: Challenges['accept'], challenge: unknown = 'asked'): Promise<string> {
  const stored = { id: 'key', owner: 'ada', public_key: '', counter: '0', transports: [] }
  const database = { em: { fork: () => ({ execute: async () => [stored] }) } }
  const clientDataJSON = base64({ type: 'webauthn.get', challenge, origin: 'https://kinora.test' })
  const credential = { id: 'key', rawId: 'key', type: 'public-key', response: { clientDataJSON } }
  const passkeys = createPasskeys(database as never, { accept } as never, () => 'https://kinora.test')
  return passkeys.verify({} as never, credential)
}

it('refuses a passkey whose challenge is not known', async () => {
  await expect(verify(async () => false)).rejects.toMatchObject({ code: 'passkey_refused' })
  const unasked = async () => expect.fail('a challenge is a text')
  for (const challenge of [['asked'], 7, null])
    await expect(verify(unasked, challenge)).rejects.toMatchObject({ code: 'passkey_refused' })
})

it('calls no passkey refused while its challenge cannot be looked up', async () => {
  const down = async () => {
    throw new Error('the database is down')
  }
  await expect(verify(down)).rejects.toThrow('the database is down')
})
