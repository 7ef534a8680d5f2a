import { createHash, createPublicKey, verify } from 'node:crypto'
import type { PasskeySignature } from '../desk/events.ts'
import { challengeOf } from '../kernel/challengeOf.ts'

/** Flags of the authenticator: a user was present, and was verified. */
const PRESENT_AND_VERIFIED = 0x05

/**
 * Returns whether a passkey signed a text (WebAuthn, section 7.2, without what only a server knows). Needs no network.
 * @param publicKey DER (SPKI) in base64
 */
export function isSignedByPasskey(publicKey: string, text: string, signed: PasskeySignature): boolean {
  try {
    const [data, client, signature] = [signed.authenticatorData, signed.clientDataJSON, signed.signature].map((part) =>
      Buffer.from(part, 'base64url'),
    ) as [Buffer, Buffer, Buffer]
    const { type, challenge, origin } = JSON.parse(client.toString()) as Record<string, string>
    const site = createHash('sha256').update(new URL(origin!).hostname).digest()
    if (type !== 'webauthn.get' || challenge !== challengeOf(text)) return false
    if (!data.subarray(0, 32).equals(site) || (data[32]! & PRESENT_AND_VERIFIED) !== PRESENT_AND_VERIFIED) return false
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' })
    const bytes = Buffer.concat([data, createHash('sha256').update(client).digest()])
    const hashes = key.asymmetricKeyType === 'ec' || key.asymmetricKeyType === 'rsa'
    return verify(hashes ? 'sha256' : null, bytes, key, signature)
  } catch {
    return false
  }
}
