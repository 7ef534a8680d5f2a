import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { FactorEndpoints } from '#backend/accounts/contract.ts'
import { call } from '../api.ts'

type Credential = Readonly<Record<string, unknown>>

// The contract says only that options are an object: their fields are those of the WebAuthn library.
const isRequest = (options: object): options is PublicKeyCredentialRequestOptionsJSON => 'challenge' in options
const isCreation = (options: object): options is PublicKeyCredentialCreationOptionsJSON =>
  isRequest(options) && 'rp' in options && 'user' in options && 'pubKeyCredParams' in options

/** Returns whether the browser can use passkeys here: they belong to a domain, so a page at an IP address has none. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && !/^\[|^\d+(\.\d+){3}$/.test(location.hostname)

/** Creates a passkey with the browser. Returns its public part. @throws ApiError, or Error if the user cancels */
export async function createPasskey({ beginPasskey }: FactorEndpoints, password: string): Promise<Credential> {
  const { options } = await call(beginPasskey, { body: { password } })
  if (!isCreation(options)) throw new Error('no WebAuthn options to create a passkey with')
  const { startRegistration } = await import('@simplewebauthn/browser')
  return { ...(await startRegistration({ optionsJSON: options })) }
}

/** Proves a passkey with the browser. @throws ApiError, or Error if the user cancels */
export async function provePasskey({ challenge }: FactorEndpoints): Promise<Credential> {
  return answerWithPasskey((await call(challenge)).options)
}

/** Answers WebAuthn options with a passkey. @throws Error if the user cancels */
export async function answerWithPasskey(options: object): Promise<Credential> {
  if (!isRequest(options)) throw new Error('no WebAuthn options to use a passkey with')
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return { ...(await startAuthentication({ optionsJSON: options })) }
}
