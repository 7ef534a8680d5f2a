import { createPublicKey, type JsonWebKey } from 'node:crypto'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type VerifyAuthenticationResponseOpts,
  type VerifyRegistrationResponseOpts,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { cose, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import { type Ask, answerCalls } from '../../kernel/threads/answerCalls.ts'

type Unasked<T> = Omit<T, 'expectedChallenge'>

/** Asks whether a challenge was issued, which only the main thread knows. */
const expecting = (ask: Ask) => ({ expectedChallenge: async (challenge: string) => Boolean(await ask(challenge)) })

/** Converts the public key of a passkey, COSE in base64url, to DER (SPKI) in base64. */
function publicKeyOf(stored: string): string {
  const key = decodeCredentialPublicKey(new Uint8Array(Buffer.from(stored, 'base64url')))
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('base64url')
  let jwk: JsonWebKey & { readonly pub?: string }
  if (cose.isCOSEPublicKeyEC2(key)) {
    const crv = { 1: 'P-256', 2: 'P-384', 3: 'P-521' }[key.get(cose.COSEKEYS.crv) as number]
    jwk = { kty: 'EC', crv, x: text(key.get(cose.COSEKEYS.x)), y: text(key.get(cose.COSEKEYS.y)) }
  } else if (cose.isCOSEPublicKeyRSA(key))
    jwk = { kty: 'RSA', n: text(key.get(cose.COSEKEYS.n)), e: text(key.get(cose.COSEKEYS.e)) }
  else if (cose.isCOSEPublicKeyAKP(key)) jwk = { kty: 'AKP', alg: 'ML-DSA-44', pub: text(key.get(cose.COSEKEYS.pub)) }
  else jwk = { kty: 'OKP', crv: 'Ed25519', x: text((key as cose.COSEPublicKeyOKP).get(cose.COSEKEYS.x)) }
  const der = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' })
  return der.toString('base64')
}

const functions = {
  publicKeyOf,
  registrationOptions: generateRegistrationOptions,
  authenticationOptions: generateAuthenticationOptions,
  verifyRegistration: (answer: Unasked<VerifyRegistrationResponseOpts>, ask: Ask) =>
    verifyRegistrationResponse({ ...answer, ...expecting(ask) }),
  verifyAuthentication: (answer: Unasked<VerifyAuthenticationResponseOpts>, ask: Ask) =>
    verifyAuthenticationResponse({ ...answer, ...expecting(ask) }),
}

export type WebauthnFunctions = typeof functions

answerCalls(functions)
