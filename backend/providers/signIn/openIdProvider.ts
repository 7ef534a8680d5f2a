import type { Configuration, IDToken, ServerMetadata, UserInfoResponse } from 'openid-client'
import type { IdentityProvider, Logo, SignInChecks } from '../../accounts/identities/identityProvider.port.ts'
import { failureOf } from './failures.ts'
import { limitedFetch } from './limitedFetch.ts'
import { profileOf } from './profileOf.ts'

/** Time for which the endpoints of an issuer are not looked up again, ms. */
const KEPT_MS = 10 * 60_000

export interface OpenIdSettings {
  readonly id: string
  readonly name: string
  readonly logo?: Logo
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Whose addresses are verified: those of which the issuer says so, all or none. */
  readonly verifiedEmails: 'claim' | 'always' | 'never'
  /** Allows an issuer without TLS. */
  readonly allowsHttp: boolean
}

/** Creates a provider that speaks OpenID Connect. The client is loaded, and the issuer asked, at the first sign-in. */
export function createOpenIdProvider(settings: OpenIdSettings): IdentityProvider {
  const { id, name, logo, issuer, clientId, clientSecret, verifiedEmails, allowsHttp } = settings
  const found = createDiscovery(settings)
  /** How this installation proves its secret. Issuers accept one way or both, and do not always say which. */
  let auth: 'ClientSecretBasic' | 'ClientSecretPost' = 'ClientSecretBasic'

  /** Keys belong to a configuration, so a new one for each sign-in knows rotated keys. */
  const configure = async (): Promise<Configuration> => {
    const client = await import('openid-client')
    const config = new client.Configuration({ ...(await found()) }, clientId, undefined, client[auth](clientSecret))
    config[client.customFetch] = limitedFetch
    if (allowsHttp) client.allowInsecureRequests(config)
    client.enableNonRepudiationChecks(config)
    return config
  }

  const grant = async (callback: URL, { state, nonce, verifier }: SignInChecks) => {
    const { authorizationCodeGrant } = await import('openid-client')
    const config = await configure()
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
    return { config, tokens: await authorizationCodeGrant(config, callback, checks) }
  }

  /** An issuer that refuses the secret has not looked at the code. */
  const redeem = async (callback: URL, checks: SignInChecks) => {
    try {
      return await grant(callback, checks)
    } catch (error) {
      if (auth === 'ClientSecretPost' || (error as { error?: string }).error !== 'invalid_client') throw error
      auth = 'ClientSecretPost'
      return grant(callback, checks)
    }
  }

  const profile = (user: IDToken | UserInfoResponse) => profileIn(user, verifiedEmails)

  return {
    id,
    name,
    ...(logo && { logo }),
    issuer,
    async authorize(redirectUri, checks) {
      try {
        const { buildAuthorizationUrl } = await import('openid-client')
        return buildAuthorizationUrl(await configure(), {
          ...(await parametersOf(redirectUri, checks)),
          scope: 'openid email profile',
          nonce: checks.nonce,
        })
      } catch (error) {
        throw failureOf(error)
      }
    },
    async redeem(callback, checks) {
      try {
        const { config, tokens } = await redeem(callback, checks)
        const claims = tokens.claims()!
        if (claims.email !== undefined || !config.serverMetadata().userinfo_endpoint) return profile(claims)
        const { fetchUserInfo } = await import('openid-client')
        return profile(await fetchUserInfo(config, tokens.access_token, claims.sub))
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

/** Returns the profile in what an issuer says of a user. */
function profileIn(user: IDToken | UserInfoResponse, verifiedEmails: OpenIdSettings['verifiedEmails']) {
  const { sub, email, email_verified, name } = user
  // Some issuers send text.
  const isClaimed = email_verified === true || (email_verified as unknown) === 'true'
  const emailVerified = verifiedEmails === 'always' || (verifiedEmails === 'claim' && isClaimed)
  return profileOf({ subject: sub, email, emailVerified, name })
}

/** Returns the parameters of an authorization request with PKCE. */
export async function parametersOf(redirect_uri: string, { state, verifier }: SignInChecks) {
  const { calculatePKCECodeChallenge } = await import('openid-client')
  const code_challenge = await calculatePKCECodeChallenge(verifier)
  return { redirect_uri, state, code_challenge, code_challenge_method: 'S256' }
}

/** Creates the lookup of an issuer's endpoints. Calls at the same time share one. */
function createDiscovery({ issuer, clientId, allowsHttp }: OpenIdSettings): () => Promise<ServerMetadata> {
  let known: { readonly metadata: Promise<ServerMetadata>; readonly at: number } | undefined
  const discover = async () => {
    const client = await import('openid-client')
    const execute = allowsHttp ? [client.allowInsecureRequests] : []
    const options = { [client.customFetch]: limitedFetch, execute }
    return (await client.discovery(new URL(issuer), clientId, undefined, undefined, options)).serverMetadata()
  }
  return () => {
    if (known && performance.now() - known.at < KEPT_MS) return known.metadata
    const metadata = discover()
    const current = { metadata, at: performance.now() }
    known = current
    metadata.catch(() => {
      if (known === current) known = undefined
    })
    return metadata
  }
}
