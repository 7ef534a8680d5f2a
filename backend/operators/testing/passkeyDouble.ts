import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { PasskeySignature } from '../../desk/events.ts'
import { challengeOf } from '../../kernel/challengeOf.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** Creates a passkey in memory, which signs as an authenticator does. */
export function createPasskeyDouble(credentialId: string, origin = 'http://localhost') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const [left, right] = [x, y].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer]
  return {
    credentialId,
    /** DER (SPKI) in base64, as the log has it. */
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    /** COSE in base64url, as the database has it. */
    cose: text(Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), left, Buffer.from('225820', 'hex'), right])),
    /** Answers the challenge of a text. @param flags 1: present, 4: verified */
    sign(signed: string, { challenge = challengeOf(signed), flags = 5 } = {}): PasskeySignature {
      const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }))
      const site = createHash('sha256').update(new URL(origin).hostname).digest()
      const data = Buffer.concat([site, Buffer.from([flags]), Buffer.alloc(4)])
      const bytes = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return {
        credentialId,
        authenticatorData: text(data),
        clientDataJSON: text(client),
        signature: text(sign('sha256', bytes, privateKey)),
      }
    },
  }
}

/** Returns a signature as a browser sends it. */
export const credentialOf = ({ credentialId: id, ...response }: PasskeySignature) => ({
  ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
  response: { ...response, userHandle: undefined },
})
