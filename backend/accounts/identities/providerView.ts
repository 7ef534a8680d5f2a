import { hash } from 'node:crypto'
import { API_BASE } from '../../kernel/http/contract.ts'
import { PROVIDERS_PATH, type Provider } from './identities.contract.ts'
import type { IdentityProvider } from './identityProvider.port.ts'

/** Returns a provider as buttons show it. The address of its picture changes with the picture, so browsers keep that for ever. */
export const providerView = ({ id, name, logo }: IdentityProvider): Provider => ({
  id,
  name,
  ...(logo && { logo: `${API_BASE}${PROVIDERS_PATH}/${id}/logo?v=${hash('sha256', logo.bytes).slice(0, 16)}` }),
})
