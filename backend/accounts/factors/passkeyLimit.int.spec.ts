import { createHash, randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createPasskeys } from './passkeys.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

const SITE = 'https://kinora.test'
const OWNER = '01890000-0000-7000-8000-000000000001'

/** Returns a new passkey as a browser reports it, without an attestation. */
function newCredential(challenge = 'asked') {
  const [rawId, part] = [randomBytes(16), () => new Uint8Array(randomBytes(32))]
  // An ES256 key in COSE. The flags say that the user is present and verified, and that a credential follows.
  const key = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, part()],
    [-3, part()],
  ])
  const host = createHash('sha256').update(new URL(SITE).hostname).digest()
  const flags = Buffer.from([0x45])
  const authData = Buffer.concat([host, flags, Buffer.alloc(20), Buffer.from([0, 16]), rawId, isoCBOR.encode(key)])
  const attestation = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', new Uint8Array(authData)],
  ])
  const clientDataJSON = Buffer.from(JSON.stringify({ type: 'webauthn.create', challenge, origin: SITE }))
  const attestationObject = Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url')
  const id = rawId.toString('base64url')
  const response = { clientDataJSON: clientDataJSON.toString('base64url'), attestationObject }
  return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
}

it('passkeys are at most 20, also when several are added at the same time', async () => {
  const passkeys = createPasskeys(db.database, { accept: async () => true } as never, () => SITE)
  const add = () => passkeys.add({} as never, 'session', OWNER, 'Phone', newCredential())
  for (let count = 0; count < 18; count++) await add()
  const added = await Promise.allSettled([add(), add(), add(), add()])
  expect(await passkeys.list(OWNER)).toHaveLength(20)
  const refusals = added.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
  expect(refusals).toEqual(['too_many_passkeys', 'too_many_passkeys'])
})
