/** What a provider says of the person who signed in. */
export interface Profile {
  /** Names the person at the provider, for ever. */
  readonly subject: string
  readonly email: string | undefined
  /** Whether the provider vouches that the person owns the address. */
  readonly emailVerified: boolean
  readonly name: string | undefined
}

/** Secrets of one sign-in. */
export interface SignInChecks {
  readonly state: string
  readonly nonce: string
  /** PKCE code verifier. */
  readonly verifier: string
}

/** Picture on the button of a provider. */
export interface Logo {
  readonly type: 'image/png' | 'image/svg+xml'
  readonly bytes: Buffer
}

/** Signs people in with the accounts that they have elsewhere. */
export interface IdentityProvider {
  /** Part of addresses, such as `google`. */
  readonly id: string
  /** Name that people read. */
  readonly name: string
  readonly logo?: Logo
  /** Address of the provider. Stored identities belong to it, whatever the provider's id is. */
  readonly issuer: string
  /** Returns the page at which a person signs in. @throws ProviderUnavailable */
  authorize(redirectUri: string, checks: SignInChecks): Promise<URL>
  /**
   * Exchanges the code with which the provider sent a browser back.
   * @param callback the address, with the parameters of the provider
   * @throws ProviderUnavailable  @throws SignInRefused
   */
  redeem(callback: URL, checks: SignInChecks): Promise<Profile>
}

/** The provider gave no answer that can be used. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** The person or the provider declined, or the answer is not the provider's or not of this sign-in. */
export class SignInRefused extends Error {
  override name = 'SignInRefused'
}
