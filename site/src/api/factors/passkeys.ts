import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { FactorEndpoints } from '#backend/accounts/contract.ts'
import { call } from '../api.ts'

type Credential = Readonly<Record<string, unknown>>

/** Returns whether the browser can use passkeys here: they belong to a domain, so a page at an IP address has none. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && !/^\[|^\d+(\.\d+){3}$/.test(location.hostname)

/** Creates a passkey with the browser. Returns its public part. @throws ApiError, or Error if the user cancels */
export async function createPasskey({ beginPasskey }: FactorEndpoints, password: string): Promise<Credential> {
  const { options } = await call(beginPasskey, { body: { password } })
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  return { ...(await startRegistration({ optionsJSON })) }
}

/** Proves a passkey with the browser. @throws ApiError, or Error if the user cancels */
export async function provePasskey({ challenge }: FactorEndpoints): Promise<Credential> {
  const { options } = await call(challenge)
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return { ...(await startAuthentication({ optionsJSON })) }
}
