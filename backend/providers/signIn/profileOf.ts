import type { Profile } from '../../accounts/identities/identityProvider.port.ts'
import { ProviderUnavailable } from '../../accounts/identities/identityProvider.port.ts'

/** Subjects are at most 255 characters of ASCII (OpenID Connect Core, section 2). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/

const line = (value: unknown, length: number) =>
  typeof value === 'string' && value.length <= length && !/\p{Cc}/u.test(value) ? value : undefined

/** Returns a profile of values that a provider sent, which may be missing or of any type. @throws ProviderUnavailable */
export function profileOf(said: {
  readonly subject: unknown
  readonly email: unknown
  readonly emailVerified: boolean
  readonly name: unknown
}): Profile {
  const { subject, emailVerified } = said
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) throw new ProviderUnavailable('invalid subject')
  const email = line(said.email, 254)
  return { subject, email, emailVerified: emailVerified && email !== undefined, name: line(said.name, 200) }
}
