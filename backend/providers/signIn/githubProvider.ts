import type { Configuration } from 'openid-client'
import { type IdentityProvider, ProviderUnavailable } from '../../accounts/identities/identityProvider.port.ts'
import { failureOf } from './failures.ts'
import { limitedFetch } from './limitedFetch.ts'
import { parametersOf } from './openIdProvider.ts'
import { profileOf } from './profileOf.ts'

interface GithubSettings {
  readonly clientId: string
  readonly clientSecret: string
  /** Address of GitHub, or of a GitHub Enterprise Server. */
  readonly url: string
  readonly allowsHttp: boolean
}

interface Mail {
  readonly email?: unknown
  readonly primary?: unknown
  readonly verified?: unknown
}

const GITHUB = 'https://github.com'
const HEADERS = { accept: 'application/vnd.github+json', 'user-agent': 'Kinora', 'x-github-api-version': '2022-11-28' }

/** Creates GitHub as a provider. It speaks OAuth without OpenID Connect: its API says who signed in. */
export function createGithubProvider({ clientId, clientSecret, url, allowsHttp }: GithubSettings): IdentityProvider {
  const api = url === GITHUB ? 'https://api.github.com' : `${url}/api/v3`
  const configure = async (): Promise<Configuration> => {
    const client = await import('openid-client')
    const metadata = {
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    }
    const config = new client.Configuration(metadata, clientId, undefined, client.ClientSecretPost(clientSecret))
    config[client.customFetch] = limitedFetch
    if (allowsHttp) client.allowInsecureRequests(config)
    return config
  }

  const read = async (config: Configuration, token: string, path: string): Promise<unknown> => {
    const { fetchProtectedResource } = await import('openid-client')
    const headers = new Headers(HEADERS)
    const answer = await fetchProtectedResource(config, token, new URL(api + path), 'GET', null, headers)
    if (!answer.ok) throw new ProviderUnavailable(`${path} answered ${answer.status}`)
    return answer.json()
  }

  return {
    id: 'github',
    name: 'GitHub',
    issuer: url,
    async authorize(redirectUri, checks) {
      const { buildAuthorizationUrl } = await import('openid-client')
      const parameters = await parametersOf(redirectUri, checks)
      return buildAuthorizationUrl(await configure(), { ...parameters, scope: 'read:user user:email' })
    },
    async redeem(callback, { state, verifier }) {
      try {
        const { authorizationCodeGrant } = await import('openid-client')
        const config = await configure()
        const checks = { expectedState: state, pkceCodeVerifier: verifier }
        const { access_token: token } = await authorizationCodeGrant(config, callback, checks)
        const user = (await read(config, token, '/user')) as { id?: unknown; name?: unknown; login?: unknown } | null
        const mails = await read(config, token, '/user/emails')
        const mail = Array.isArray(mails) ? mails.find((each: Mail | null) => each?.primary === true) : undefined
        return profileOf({
          // The login can change hands, the id cannot.
          subject: Number.isSafeInteger(user?.id) ? String(user?.id) : undefined,
          email: mail?.email,
          emailVerified: mail?.verified === true,
          name: user?.name ?? user?.login,
        })
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}
