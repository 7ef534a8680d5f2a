import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'
import { CurrentPassword, Language } from '../contracts/fields.contract.ts'

export const PROVIDERS_PATH = '/auth/providers'

const Provider = z.object({
  id: z.string(),
  name: z.string(),
  /** Address of the picture on its button, if it has one. */
  logo: z.optional(z.string()),
})
export type Provider = z.infer<typeof Provider>

export const listProviders = endpoint('GET /auth/providers', {
  access: 'public',
  answer: z.object({ providers: z.array(Provider) }),
  summary: 'Lists the providers with whose accounts people can sign in',
})

export const startProvider = endpoint('GET /auth/providers/:provider/start', {
  access: 'public',
  query: z.object({
    /** Page of this site to open after the sign-in. */
    next: z.optional(z.string()),
    /** Language of a new account. */
    language: z.catch(z.optional(Language), undefined),
  }),
  status: 302,
  refuses: ['not_found'],
  summary: 'Sends the browser to the provider. The sign-in is bound to the browser, for ten minutes',
})

export const providerLogo = endpoint('GET /auth/providers/:provider/logo', {
  access: 'public',
  file: 'image/*',
  refuses: ['not_found'],
  summary: 'Returns the picture on the button of a provider, a PNG or an SVG',
})

export const finishProvider = endpoint('GET /auth/providers/:provider/callback', {
  access: 'public',
  status: 302,
  refuses: ['not_found'],
  summary:
    'Where the provider sends the browser back: signs in, or connects the account, and opens the next page. Problems and ' +
    'second factors continue at `/auth/provider`, in the fragment of the address',
})

const Identity = z.extend(Provider, {
  /** Address at the provider; null if there is none, or if nothing is connected. */
  email: z.nullable(z.string()),
  /** Null if the account is not connected to this provider. */
  connected_at: z.nullable(z.string()),
})
export type Identity = z.infer<typeof Identity>

export const listIdentities = endpoint('GET /users/identities', {
  access: 'user',
  answer: z.object({ identities: z.array(Identity) }),
  summary: 'Lists the providers, and which of them the account is connected to',
})

/** The proof of a new connection: the password or, without one, a sign-in in the last ten minutes. */
const IdentityProof = z.object({ password: z.optional(CurrentPassword) })

export const connectIdentity = endpoint('POST /users/identities/:provider', {
  access: 'user',
  body: IdentityProof,
  answer: z.object({ url: z.string() }),
  refuses: ['not_found', 'unavailable', 'step_up_required', 'sign_in_again', 'too_many_requests'],
  summary: 'Returns the address of the provider at which a signed-in user connects the account, after a step-up',
})

export const disconnectIdentity = endpoint('DELETE /users/identities/:provider', {
  access: 'user',
  status: 204,
  refuses: ['not_found', 'step_up_required', 'last_way_in'],
  summary: 'Disconnects the account from a provider, after a step-up. The last way to sign in stays',
})
