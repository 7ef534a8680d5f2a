import { readFileSync } from 'node:fs'
import type { Logo } from '../../accounts/identities/identityProvider.port.ts'
import { isLoopback } from '../../kernel/isLoopback.ts'
import { readImageHeader } from '../../kernel/media/imageFile.ts'
import { trimEnd } from '../../kernel/trimEnd.ts'
import type { OpenIdSettings } from '../../providers/signIn/openIdProvider.ts'
import { ConfigError, type Environment, isComplete } from './environment.ts'

const GOOGLE = ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'] as const
const GITHUB = ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'] as const
const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const

export interface SignInConfig {
  readonly openId: readonly OpenIdSettings[]
  readonly github: Readonly<{ clientId: string; clientSecret: string; url: string; allowsHttp: boolean }> | undefined
  /** Mail domains whose owners may sign up through a provider although registration is closed. */
  readonly domains: readonly string[]
}

const isPlain = (address: string) => new URL(address).protocol === 'http:'

/** Returns the reasons why production must not send people to a provider, a sentence each. */
export const signInFaults = (env: Environment): string[] =>
  (['OIDC_ISSUER', 'GITHUB_URL'] as const)
    .filter((name) => env[name] && isPlain(env[name]) && !isLoopback(new URL(env[name]).hostname))
    .map((name) => `${name} is not https: secrets and sign-ins would be readable on the way`)

const MAX_LOGO_BYTES = 64 * 1024
const MAX_LOGO_PIXELS = 1024

/** Reads the picture of a button. @throws ConfigError */
function readLogo(file: string): Logo {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new ConfigError(`OIDC_LOGO: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (bytes.length > MAX_LOGO_BYTES) throw new ConfigError(`OIDC_LOGO: ${file} is larger than 64 KiB`)
  const type = logoType(bytes)
  if (!type)
    throw new ConfigError(
      `OIDC_LOGO: ${file} is no PNG of at most ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS} pixels, and no SVG`,
    )
  return { type, bytes }
}

function logoType(bytes: Buffer): Logo['type'] | undefined {
  const header = readImageHeader(bytes)
  if (header?.type === 'png' && Math.max(header.width, header.height) <= MAX_LOGO_PIXELS) return 'image/png'
  return /^<(?:svg\s|(?:\?xml|!--|!DOCTYPE svg).*<svg\s)/s.test(bytes.toString().trimStart())
    ? 'image/svg+xml'
    : undefined
}

/** Reads where people may sign in with accounts that they have elsewhere. @throws ConfigError */
export function readSignIn(env: Environment): SignInConfig {
  const google = isComplete(env, GOOGLE, 'GOOGLE_') && {
    ...{ id: 'google', name: 'Google', issuer: 'https://accounts.google.com' },
    ...{ clientId: env.GOOGLE_CLIENT_ID, clientSecret: env.GOOGLE_CLIENT_SECRET },
    ...{ verifiedEmails: 'claim' as const, allowsHttp: false },
  }
  const github = isComplete(env, GITHUB, 'GITHUB_') && {
    ...{ clientId: env.GITHUB_CLIENT_ID, clientSecret: env.GITHUB_CLIENT_SECRET },
    ...{ url: trimEnd(env.GITHUB_URL, '/'), allowsHttp: isPlain(env.GITHUB_URL) },
  }
  const oidc = isComplete(env, OIDC, 'OIDC_') && {
    ...{ id: 'oidc', name: env.OIDC_NAME ?? new URL(env.OIDC_ISSUER).hostname, issuer: new URL(env.OIDC_ISSUER).href },
    ...{ clientId: env.OIDC_CLIENT_ID, clientSecret: env.OIDC_CLIENT_SECRET },
    ...{ verifiedEmails: env.OIDC_EMAIL_VERIFIED, allowsHttp: isPlain(env.OIDC_ISSUER) },
    ...(env.OIDC_LOGO && { logo: readLogo(env.OIDC_LOGO) }),
  }
  const openId = [google, oidc].filter((each) => each !== false)
  return { openId, github: github || undefined, domains: env.SIGN_UP_DOMAINS ?? [] }
}
